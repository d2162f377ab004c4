import { LineSplitter, type LogLine } from '@session/agents';

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z ?/;

/**
 * Makes lines of a pod's log, as it is read with timestamps. Each gets a time of its own, in microseconds, and the same one
 * whenever it is read, if the reading begins with the first line of a second: that is how a reader finds its place again.
 */
export class LogLines {
  readonly #splitter = new LineSplitter();
  #lastAt = 0;

  /** Gives the lines that `chunk` completes. */
  push(chunk: Buffer): LogLine[] {
    return this.#splitter.push(chunk).map((line) => this.#parse(line));
  }

  /** Gives what is left at the end of a log that is complete. */
  end(): LogLine[] {
    return this.#splitter.end().map((line) => this.#parse(line));
  }

  #parse(text: string): LogLine {
    const [stamp = '', seconds = '', fraction = ''] = STAMP.exec(text) ?? [];
    // Trailing zeros are cut. The rest of a line that was too long has no time.
    const micros = Number(fraction.padEnd(6, '0').slice(0, 6));
    const at = seconds ? Date.parse(`${seconds}Z`) * 1000 + micros : 0;
    this.#lastAt = Math.max(at, this.#lastAt + 1);
    return { at: this.#lastAt, line: text.slice(stamp.length) };
  }
}

/** Gives what the API understands as a beginning: the second of `at`, in microseconds, with all of its lines. */
export function sinceTime(at: number): string {
  return new Date(Math.floor(at / 1_000_000) * 1000).toISOString();
}
