import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../../..');
const execute = promisify(execFile);

/** A text in files that must never get into an image. */
export const CANARY = 'canary-6f1d2c9a-must-not-be-in-an-image';

/** Where a checkout of an operator may have secrets, and files that only its owner needs. */
const PRIVATE_FILES = [
  '.env',
  '.env.local',
  '.git/config',
  '.local/secrets.json',
  '.cache/private.txt',
  'apps/api/.env',
  'apps/recorder/.npmrc.local',
  'node_modules/private.txt',
  'packages/db/node_modules/private.txt',
];

/**
 * Copies into `folder` the files of the checkout that git tracks or would add, and adds private files with the canary. Modes
 * and times are the same on each machine, so that they change neither a layer nor an image.
 */
export async function makeBuildContext(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const list = 'git ls-files --cached --others --exclude-standard -z';
  const pack = "tar --null --files-from=- --mode='u=rwX,go=rX' --mtime=@0 -c";
  const copy = `set -o pipefail; ${list} | ${pack} | tar -x -C "$1"`;
  await execute('bash', ['-c', copy, 'bash', folder], { cwd: root });
  for (const file of PRIVATE_FILES) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), `${CANARY}\n`);
  }
}
