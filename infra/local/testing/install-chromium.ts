import { runMain, StartError } from '@session/kit';
import { findChromium } from '@session/testing/browser';
import { run } from '../src/supervision/tool.ts';

// Installs a Chromium where there is none and root may: CI does this before `npm run test:browser`.
await runMain(async (stop) => {
  if (await findChromium(process.env)) return;
  if (process.getuid?.() !== 0) {
    throw new StartError(
      'There is no Chromium, and only root may install one: run `sudo apt-get install chromium`, or set CHROMIUM_PATH.',
    );
  }
  process.stdout.write('Installing Chromium …\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = async (...args: string[]) => await run('apt-get', ['-qq', ...args], { env, stop });
  await apt('update')
    .then(() => apt('install', '--yes', '--no-install-recommends', 'chromium'))
    .catch((cause: Error) => {
      throw new StartError(
        `Chromium could not be installed: install one, or set CHROMIUM_PATH.\n\n${cause.message}`,
        { cause },
      );
    });
});
