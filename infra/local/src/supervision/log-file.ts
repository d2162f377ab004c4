import { copyFile, type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { hasCode, repeat } from '@session/kit';

export interface LogLimits {
  readonly largestBytes: number;
  readonly checkEveryMs: number;
}

const LIMITS: LogLimits = { largestBytes: 50_000_000, checkEveryMs: 30_000 };

/**
 * The log of a part, for its owner's eyes only, which a process writes by its descriptor. The one of the previous start
 * is kept as `.1`. One that grows beyond the limit while the process runs is moved there too: copied and cut, because
 * the process keeps its descriptor; lines that it writes between the two are lost.
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
      if (size > limits.largestBytes) await this.#cut();
    });
  }

  static async open(file: string, limits: LogLimits = LIMITS): Promise<LogFile> {
    await rename(file, previous(file)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    // Appending, so that who writes goes on at the new end after a cut.
    return new LogFile(file, await open(file, 'a', 0o600), limits);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  /** Gives its last lines, without those of a stack trace, which would push out what went wrong, and where all are. */
  async tail(count: number): Promise<string[]> {
    const lines = (await readFile(this.#file, 'utf8')).trim().split('\n');
    const telling = lines.filter((line) => line !== '' && !/^\s+at /.test(line));
    return [...telling.slice(-count), `All of it: ${this.#file}`];
  }

  async #cut(): Promise<void> {
    // Where they cannot be kept the old lines go: they may be what fills the disk, and somebody may have removed the file.
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
