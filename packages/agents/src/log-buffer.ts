import { EventEmitter, once } from 'node:events';
import type { LogLine, LogQuery, OutputLine } from './launcher.ts';

const MAX_LINES = 5000;
const MAX_BYTES = 1_048_576;

export class LogBuffer {
  readonly #changed = new EventEmitter().setMaxListeners(0);
  #lines: LogLine[] = [];
  #droppedCount = 0;
  #sizeBytes = 0;
  #lastAt = 0;
  #hasEnded = false;

  push(lines: readonly OutputLine[]): void {
    for (const line of lines) {
      this.#lastAt = Math.max(Date.now() * 1000, this.#lastAt + 1);
      this.#lines.push({ at: this.#lastAt, ...line });
      this.#sizeBytes += Buffer.byteLength(line.line);
    }
    this.#trim();
    this.#changed.emit('change');
  }

  end(): void {
    this.#hasEnded = true;
    this.#changed.emit('change');
  }

  async *read({ since = 0, tail, follow = false, signal }: LogQuery): AsyncGenerator<LogLine> {
    const end = this.#droppedCount + this.#lines.length;
    let next = tail === undefined ? 0 : end - tail;
    for (;;) {
      if (signal?.aborted) return;
      next = Math.max(next, this.#droppedCount);
      const line = this.#lines[next - this.#droppedCount];
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
    let count = Math.max(0, this.#lines.length - MAX_LINES);
    for (const [index, { line }] of this.#lines.entries()) {
      if (index >= count && this.#sizeBytes <= MAX_BYTES) break;
      this.#sizeBytes -= Buffer.byteLength(line);
      count = Math.max(count, index + 1);
    }
    this.#lines.splice(0, count);
    this.#droppedCount += count;
  }
}
