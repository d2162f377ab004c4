import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import { removePostgresHome } from '../postgres/home.ts';
import { ProcessTable } from '../supervision/process-table.ts';

const PROCESSES = 'processes.json';

/** Removes the processes and data of an earlier run from the folder. Throws a StartError while another run uses it. */
export async function openEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using table = await ProcessTable.claim(path.join(folder, PROCESSES));
  if (!table) throw new StartError(`Another run uses ${folder}: try again when it has ended.`);
  for (const name of await readdir(folder)) {
    // A server's data may be elsewhere, behind a link.
    if (name !== PROCESSES) await removePostgresHome(path.join(folder, name));
  }
}
