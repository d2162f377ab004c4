import { EventEmitter, once } from 'node:events';
import type { LogLine, LogQuery } from './launcher.ts';

const LINES_KEPT = 5000;
const BYTES_KEPT = 1_048_576;

/** The last lines of one program's output: 5,000 or 1 MiB of them, as many as are kept for good. */
export class LogBuffer {
  readonly #changed = new EventEmitter().setMaxListeners(0);
  #lines: LogLine[] = [];
  /** How many lines have gone at the front. */
  #dropped = 0;
  #sizeBytes = 0;
  #lastAt = 0;
  #hasEnded = false;

  /** Adds lines that came now. Each gets a time of its own, so that a time says where a reader is. */
  push(lines: readonly string[]): void {
    for (const line of lines) {
      this.#lastAt = Math.max(Date.now() * 1000, this.#lastAt + 1);
      this.#lines.push({ at: this.#lastAt, line });
      this.#sizeBytes += Buffer.byteLength(line);
    }
    this.#trim();
    this.#changed.emit('change');
  }

  /** Says that no line will come any more. */
  end(): void {
    this.#hasEnded = true;
    this.#changed.emit('change');
  }

  /** Gives the lines that `query` asks for. A reader that is too slow misses what has been dropped meanwhile. */
  async *read({ since = 0, tail, follow = false, signal }: LogQuery): AsyncGenerator<LogLine> {
    const end = this.#dropped + this.#lines.length;
    let next = tail === undefined ? 0 : end - tail;
    for (;;) {
      if (signal?.aborted) return;
      next = Math.max(next, this.#dropped);
      const line = this.#lines[next - this.#dropped];
      if (line) {
        next += 1;
        if (line.at > since) yield line;
      } else if (follow && !this.#hasEnded) {
        await once(this.#changed, 'change', { signal }).catch(() => {});
      } else {
        return;
      }
    }
  }

  #trim(): void {
    let count = Math.max(0, this.#lines.length - LINES_KEPT);
    for (const [index, { line }] of this.#lines.entries()) {
      if (index >= count && this.#sizeBytes <= BYTES_KEPT) break;
      this.#sizeBytes -= Buffer.byteLength(line);
      count = Math.max(count, index + 1);
    }
    this.#lines.splice(0, count);
    this.#dropped += count;
  }
}
