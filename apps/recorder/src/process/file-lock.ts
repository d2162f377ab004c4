import { open } from 'node:fs/promises';
import { pause } from '@session/kit';
import { tryLock } from 'fs-native-extensions';

const RETRY_MS = 50;

/**
 * Locks a file, which is created if it is missing. Returns undefined when this or another process has locked it. The kernel
 * releases the lock when the process ends. Throws when the file cannot be opened, or its file system has no locks.
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
