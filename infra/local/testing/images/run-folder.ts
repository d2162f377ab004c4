import { mkdir } from 'node:fs/promises';
import { run } from '../../src/supervision/tool.ts';

/** Holds what containers and clusters write. The path is short, because the paths of sockets in it must be. */
export const RUN_FOLDER = '/var/tmp/session-images';

/** Makes the folder of this run, and removes what a killed run has left in it. Only one run may be active. */
export async function openRunFolder(): Promise<void> {
  await removeFolder(RUN_FOLDER);
  // Fails if another user has created the folder since, because nothing may be written to that user's folder.
  await mkdir(RUN_FOLDER, { mode: 0o700 });
}

/** Removes a folder, but nothing that is mounted below it. */
export async function removeFolder(folder: string): Promise<void> {
  await run('rm', ['--recursive', '--force', '--one-file-system', folder]);
}
