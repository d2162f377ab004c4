import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runMain, StartError } from '@session/kit';
import { findChromium } from '@session/testing/browser';

const NEXT_STEP = 'install one (`apt-get install chromium`), or set CHROMIUM_PATH';

// `npm run test:browser`: runs the tests that need a Chromium.
await runMain(async (stop) => {
  const { env } = process;
  const chromium = await findChromium(env).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  if (!chromium) {
    if (env['BROWSER_REQUIRED'] === '1')
      throw new StartError(
        `The tests in a browser are required, and there is no Chromium: ${NEXT_STEP}.`,
      );
    process.stdout.write(
      `SKIP the tests in a browser: there is no Chromium. To run them, ${NEXT_STEP}.\n`,
    );
    return;
  }
  const args = ['run', '--config', 'vitest.browser.config.ts', ...process.argv.slice(2)];
  const child = spawn('vitest', args, {
    stdio: 'inherit',
    env: { ...env, CHROMIUM_PATH: chromium },
  });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
});
