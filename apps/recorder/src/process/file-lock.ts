import { open } from 'node:fs/promises';
import { pause } from '@session/kit';
import { tryLock } from 'fs-native-extensions';

const RETRY_MS = 50;

/**
 * Locks the file at `path`, which is created if it is missing. Returns undefined when another process has locked it, or another
 * caller in this process. The kernel keeps the lock for the open file, so the lock ends with the process, however the process
 * ends. Throws when the file cannot be opened, or when its file system knows no locks.
 */
export async function tryLockFile(path: string): Promise<AsyncDisposable | undefined> {
  await using stack = new AsyncDisposableStack();
  const file = stack.use(await open(path, 'a', 0o600));
  if (!tryLock(file.fd)) return undefined;
  return stack.move();
}

export async function lockFile(
  path: string,
  signal: AbortSignal,
): Promise<AsyncDisposable | undefined> {
  for (;;) {
    const lock = await tryLockFile(path);
    if (lock || !(await pause(RETRY_MS, signal))) return lock;
  }
}
