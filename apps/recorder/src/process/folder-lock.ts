import path from 'node:path';
import { hasCode, StartError } from '@session/kit';
import { lockFile, tryLockFile } from './file-lock.ts';
import type { RecorderLog } from './log.ts';

interface FolderLockOptions {
  readonly log: RecorderLog;
  readonly waitMs?: number;
  readonly stop: AbortSignal;
}

/**
 * Makes this process the only one that uses the folder, until disposal or its end. Waits for another process, which may be
 * draining. Returns undefined when `stop` aborts. Throws a StartError when the other process does not leave, or the folder
 * cannot be locked.
 */
export async function lockFolder(
  folder: string,
  { log, waitMs = 30_000, stop }: FolderLockOptions,
): Promise<AsyncDisposable | undefined> {
  const file = path.join(folder, 'recorder.lock');
  try {
    const lock = await tryLockFile(file);
    if (lock) return lock;
    log.warn({ folder, waitMs }, 'waiting for another process to release this folder');
    const later = await lockFile(file, AbortSignal.any([stop, AbortSignal.timeout(waitMs)]));
    if (later || stop.aborted) return later;
  } catch (cause) {
    const code = ['EACCES', 'ENOLCK', 'ENOSPC', 'EROFS'].find((known) => hasCode(cause, known));
    throw new StartError(
      `RECORDER_SPOOL_DIR: ${folder} cannot be locked (${code ?? String(cause)}). Choose a folder on a local disk that the recorder can write to.`,
      { cause },
    );
  }
  throw new StartError(
    `Another process has been using ${folder} for the last ${waitMs / 1000} s. Set RECORDER_SPOOL_DIR to a separate folder for each recorder.`,
  );
}
