import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, StartError } from '@session/kit';
import { v7 as uuidv7, validate } from 'uuid';

/**
 * Gives the recorder's id: the one in its spool folder, or a new one, kept there for its next start. Throws a StartError
 * when the folder cannot be used.
 */
export async function provideRecorderId(spoolFolder: string): Promise<string> {
  const file = path.join(spoolFolder, 'recorder-id');
  try {
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
    // Two that start at once get the same id: it is the epoch that then stops one of them.
    // Written whole before it has its name, so that the other never reads a file that is still empty.
    const own = uuidv7();
    const draft = `${file}.${own}`;
    await writeFile(draft, `${own}\n`, { mode: 0o600, flush: true });
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    await rm(draft);
    const id = (await readFile(file, 'utf8')).trim();
    if (validate(id)) return id;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartError(`RECORDER_SPOOL_DIR: ${spoolFolder} cannot be used (${reason}).`);
  }
  throw new StartError(`${file} holds no recorder's id. Remove it, and a new one is made.`);
}
