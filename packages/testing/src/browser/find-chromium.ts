import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

/** Chromium without its windows takes a third less of the processors for a page. */
export const CHROMIUM_WITHOUT_WINDOWS = 'chromium-headless-shell';

const NAMES = [
  CHROMIUM_WITHOUT_WINDOWS,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];

const MAC_PROGRAMS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Returns the path of a Chromium: that of CHROMIUM_PATH, otherwise the first one on the PATH and in the usual folders. Returns
 * undefined when there is none. Throws when CHROMIUM_PATH names no program, so that no other browser is used by mistake.
 */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { CHROMIUM_PATH: own, PATH = '' } = env;
  if (own) {
    if (await isProgram(own)) return own;
    throw new Error(`CHROMIUM_PATH is ${own}, and no program is there.`);
  }
  const folders = [...PATH.split(path.delimiter).filter(Boolean), ...FOLDERS];
  const programs = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  for (const program of [...programs, ...MAC_PROGRAMS])
    if (await isProgram(program)) return program;
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
