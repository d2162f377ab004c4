import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@session/kit';
import type { QueuedMessage } from '../../message-path.ts';
import { lockFile, tryLockFile } from '../../process/file-lock.ts';
import { parseQueued } from '../queued-message.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const LOCK_MS = 10_000;

export interface Rejection {
  readonly code: string | undefined;
  readonly message: string;
}

/**
 * The file `rejected.jsonl` with the refused messages, and why they were refused. The recorder appends to it while another
 * process may replay it.
 */
export class RejectedFile {
  readonly #path: string;
  readonly #lock: string;
  readonly #replayLock: string;

  constructor(folder: string) {
    this.#path = path.join(folder, 'rejected.jsonl');
    this.#lock = path.join(folder, 'rejected.lock');
    this.#replayLock = path.join(folder, 'replay.lock');
  }

  async append(rejected: unknown, rejection: Rejection): Promise<void> {
    await using stack = new AsyncDisposableStack();
    stack.use(await this.#locked());
    const file = stack.use(await open(this.#path, 'a+', 0o600));
    const { size } = await file.stat();
    if (size > MAX_BYTES) {
      throw new Error(`${this.#path} is full: run replay-rejected, or move the file away`);
    }
    const line = { at: new Date().toISOString(), ...rejection, rejected };
    // A killed process or a full disk may have left half a line, which must not damage this one.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    const lineEnd = bytesRead === 0 || buffer[0] === NEWLINE ? '' : '\n';
    await file.appendFile(`${lineEnd}${JSON.stringify(line)}\n`);
    await file.datasync();
  }

  async read(): Promise<string[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return '';
      throw error;
    });
    return text.split('\n').filter((line) => line !== '');
  }

  async replace(count: number, kept: readonly string[]): Promise<void> {
    await using stack = new AsyncDisposableStack();
    stack.use(await this.#locked());
    const lines = [...kept, ...(await this.read()).slice(count)];
    if (lines.length === 0) return await rm(this.#path, { force: true });
    const draft = `${this.#path}.draft`;
    const file = stack.use(await open(draft, 'w', 0o600));
    await file.appendFile(lines.map((line) => `${line}\n`).join(''));
    await file.datasync();
    await rename(draft, this.#path);
  }

  /**
   * Removes the messages for which `isForgotten` returns true. While a replay is reading the file, returns true and removes
   * nothing.
   */
  async forget(isForgotten: (queued: QueuedMessage) => boolean): Promise<boolean> {
    if ((await this.read()).length === 0) return false;
    await using replaying = await this.lockReplay();
    if (!replaying) return true;
    const lines = await this.read();
    const kept = lines.filter((line) => {
      const queued = parseQueued(rejectedOf(line));
      return !(queued && isForgotten(queued));
    });
    if (kept.length < lines.length) await this.replace(lines.length, kept);
    return false;
  }

  async lockReplay(): Promise<AsyncDisposable | undefined> {
    return await tryLockFile(this.#replayLock);
  }

  async #locked(): Promise<AsyncDisposable> {
    const lock = await lockFile(this.#lock, AbortSignal.timeout(LOCK_MS));
    if (!lock) throw new Error(`${this.#lock} has been locked for ${LOCK_MS / 1000} s`);
    return lock;
  }
}

export function rejectedOf(line: string): string {
  try {
    return JSON.stringify(Object(JSON.parse(line)).rejected) ?? '';
  } catch {
    return '';
  }
}
