import path from 'node:path';
import { runMain, StartError } from '@session/kit';
import { findMissingForImages, IMAGE_REMEDY } from './images/image-tools.ts';
import { runAlone } from './images/run-alone.ts';

// `npm run test:images`: builds the images, and runs the tests of them, where this machine can do both.
await runMain(async (stop) => {
  const { env } = process;
  const missing = await findMissingForImages();
  if (missing.length > 0) {
    const why = `This machine lacks ${missing.map(({ what }) => what).join(', ')}.`;
    if (env['IMAGES_REQUIRED'] === '1')
      throw new StartError(`The tests of the images are required. ${why} ${IMAGE_REMEDY}`);
    say(`SKIP the tests of the images. ${why} ${IMAGE_REMEDY}`);
    return;
  }
  const program = path.join(import.meta.dirname, 'images/run-vitest.ts');
  process.exitCode = await runAlone(program, process.argv.slice(2), { stop, say });
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
