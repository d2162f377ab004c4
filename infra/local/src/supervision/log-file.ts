import { copyFile, type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { hasCode, repeat } from '@session/kit';

export interface LogLimits {
  readonly largestBytes: number;
  readonly checkEveryMs: number;
}

const LIMITS: LogLimits = { largestBytes: 50_000_000, checkEveryMs: 30_000 };

/**
 * The log that a part writes through a file descriptor, readable by its owner only. The previous log is kept as `.1`. A log
 * that exceeds the limit is copied there and truncated. Lines written in between are lost.
 */
export class LogFile implements AsyncDisposable {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #closing = new AbortController();
  readonly #watch: Promise<void>;

  private constructor(file: string, handle: FileHandle, limits: LogLimits) {
    this.#file = file;
    this.#handle = handle;
    this.#watch = repeat(limits.checkEveryMs, this.#closing.signal, async () => {
      const { size } = await handle.stat();
      if (size > limits.largestBytes) await this.#truncate();
    });
  }

  static async open(file: string, limits: LogLimits = LIMITS): Promise<LogFile> {
    await rename(file, previous(file)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    // In append mode, so that the writer continues at the new end after a truncation.
    return new LogFile(file, await open(file, 'a', 0o600), limits);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  /** Returns the last lines and the log's path. Leaves out stack traces, which would displace the error itself. */
  async tail(count: number): Promise<string[]> {
    const lines = (await readFile(this.#file, 'utf8')).trim().split('\n');
    const meaningful = lines.filter((line) => line !== '' && !/^\s+at /.test(line));
    return [...meaningful.slice(-count), `Full log: ${this.#file}`];
  }

  async #truncate(): Promise<void> {
    // A failed copy loses the old lines: they may be what fills the disk, and the user may have removed the file.
    await copyFile(this.#file, previous(this.#file)).catch(() => {});
    await this.#handle.truncate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watch;
    await this.#handle.close();
  }
}

function previous(file: string): string {
  return `${file}.1`;
}
