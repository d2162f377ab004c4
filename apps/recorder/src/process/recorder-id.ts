import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, StartError } from '@session/kit';
import { v7 as uuidv7, validate } from 'uuid';

/**
 * Returns the id that is stored in the spool folder, or stores a new one. Throws a StartError when the folder cannot be used.
 */
export async function provideRecorderId(spoolFolder: string): Promise<string> {
  const file = path.join(spoolFolder, 'recorder-id');
  try {
    const read = async () => (await readFile(file, 'utf8')).trim();
    // A later start writes nothing, so it also succeeds on a full disk.
    const id = await read().catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      await makeId(spoolFolder, file);
      return await read();
    });
    if (validate(id)) return id;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartError(
      `RECORDER_SPOOL_DIR: ${spoolFolder} cannot be used (${reason}). Choose a folder that the recorder can write to.`,
    );
  }
  throw new StartError(
    `${file} does not hold the id of a recorder. Remove the file: the next start makes a new id.`,
  );
}

async function makeId(folder: string, file: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const id = uuidv7();
  const draft = `${file}.${id}`;
  try {
    // The file is complete before it has its name, so a process that starts at the same time never reads a part of it.
    await writeFile(draft, `${id}\n`, { mode: 0o600, flush: true });
    await link(draft, file);
  } catch (error) {
    // Another process was first, and both read its id. The lock of the folder then stops one of them.
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
