import { LineSplitter, type LogLine, type OutputLine } from '@session/agents';

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z ?/;

/**
 * Splits a pod's log into lines, each with a unique time in microseconds. Each reading that begins with the first line
 * of a second has the same times, so a reader can resume.
 */
export class LogLines {
  readonly #splitter = new LineSplitter();
  #lastAt = 0;

  push(chunk: Buffer): LogLine[] {
    return this.#splitter.push(chunk).map((line) => this.#parse(line));
  }

  end(): LogLine[] {
    return this.#splitter.end().map((line) => this.#parse(line));
  }

  #parse({ line: text, ...rest }: OutputLine): LogLine {
    const [stamp = '', seconds = '', fraction = ''] = STAMP.exec(text) ?? [];
    // Kubernetes omits trailing zeros. The later pieces of a line that was cut have no timestamp.
    const micros = Number(fraction.padEnd(6, '0').slice(0, 6));
    const at = seconds ? Date.parse(`${seconds}Z`) * 1000 + micros : 0;
    this.#lastAt = Math.max(at, this.#lastAt + 1);
    return { at: this.#lastAt, ...rest, line: text.slice(stamp.length) };
  }
}

export function sinceTime(at: number): string {
  return new Date(Math.floor(at / 1_000_000) * 1000).toISOString();
}
