import { runMain, StartError } from '@session/kit';
import { run } from '../src/supervision/tool.ts';
import { findMissingForImages, IMAGE_PACKAGES } from './images/image-tools.ts';

// Installs what builds and runs the images, where it is missing and root may: CI does this before `npm run test:images`.
await runMain(async (stop) => {
  if ((await findMissingForImages()).length === 0) return;
  const install = `apt-get install ${IMAGE_PACKAGES.join(' ')}`;
  if (process.getuid?.() !== 0)
    throw new StartError(`The tests of the images need root, and \`${install}\`.`);
  process.stdout.write('Installing the programs that build and run images …\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = async (...args: string[]) => await run('apt-get', ['-qq', ...args], { env, stop });
  await apt('update')
    .then(() => apt('install', '--yes', '--no-install-recommends', ...IMAGE_PACKAGES))
    .catch((cause: Error) => {
      throw new StartError(`\`${install}\` failed:\n\n${cause.message}`, { cause });
    });
});
