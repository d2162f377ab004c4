import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Pcm, speech } from '../pcm.ts';
import { toWav } from '../wav.ts';
import { findChromium } from './find-chromium.ts';

/** Playwright's own list. Chromium takes only the last switch of a name. */
const DISABLED_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** The popups of the address bar: two pages for each window, which take more time than ours, although no window is shown. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

const ARGS = [
  `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`,
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
  // Without another network interface, a connection to a media server on loopback would fail after 15 s.
  '--allow-loopback-in-peer-connection',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

interface LaunchedChromium extends AsyncDisposable {
  readonly browser: Browser;
}

/**
 * Starts the Chromium that `findChromium` finds, without a window. Its microphone says two seconds of syllables, again and
 * again. Throws when this machine has no Chromium.
 */
export async function launchChromium(
  env: NodeJS.ProcessEnv = process.env,
): Promise<LaunchedChromium> {
  const executablePath = await findChromium(env);
  if (!executablePath) throw new Error('There is no Chromium: install one, or set CHROMIUM_PATH.');
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'chromium-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const sound = path.join(folder, 'microphone.wav');
  await writeFile(sound, toWav(doubled(speech(2000))));
  const args = [...ARGS, `--use-file-for-fake-audio-capture=${sound}`];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  const browser = await chromium.launch({ executablePath, args });
  stack.defer(() => browser.close());
  const owned = stack.move();
  return { browser, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Returns the sound at twice its rate: Chromium's fake microphone needs 48 kHz. */
function doubled({ samples, rate }: Pcm): Pcm {
  const twice = new Int16Array(samples.length * 2);
  for (const [index, sample] of samples.entries()) twice.fill(sample, index * 2, index * 2 + 2);
  return { samples: twice, rate: rate * 2 };
}
