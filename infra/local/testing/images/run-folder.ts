import { mkdir } from 'node:fs/promises';
import { run } from '../../src/supervision/tool.ts';

/** For what containers and clusters write. It is short, as the path of a socket must be. */
export const RUN_FOLDER = '/var/tmp/session-images';

/** Makes the folder of this run, and removes what a killed run has left in it. Only one run may be going on. */
export async function openRunFolder(): Promise<void> {
  await removeFolder(RUN_FOLDER);
  // It fails if another user has made the folder since: such a folder is not ours to write to.
  await mkdir(RUN_FOLDER, { mode: 0o700 });
}

/** Removes a folder, but nothing that is mounted below it. */
export async function removeFolder(folder: string): Promise<void> {
  await run('rm', ['--recursive', '--force', '--one-file-system', folder]);
}
