import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runMain, StartError } from '@session/kit';
import { findMissingForImages, IMAGE_PACKAGES } from './images/image-tools.ts';

// `npm run test:images`: builds the images, and runs the tests of them, where this machine can do both.
await runMain(async (stop) => {
  const { env } = process;
  const missing = await findMissingForImages();
  if (missing.length > 0) {
    const why = `This machine lacks ${missing.join(', ')}`;
    const nextStep = `as root, \`apt-get install ${IMAGE_PACKAGES.join(' ')}\` installs the programs`;
    if (env['IMAGES_REQUIRED'] === '1')
      throw new StartError(`The tests of the images are required. ${why}: ${nextStep}.`);
    process.stdout.write(`SKIP the tests of the images. ${why}: ${nextStep}.\n`);
    return;
  }
  const args = ['run', '--config', 'vitest.images.config.ts', ...process.argv.slice(2)];
  const child = spawn('vitest', args, { stdio: 'inherit' });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
});
