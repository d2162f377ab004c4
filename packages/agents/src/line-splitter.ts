import { StringDecoder } from 'node:string_decoder';
import type { OutputLine } from './launcher.ts';

/**
 * In UTF-16 code units. Longer lines are cut into pieces, so that a program that never ends its line cannot fill our
 * memory.
 */
const MAX_LINE_LENGTH = 16_384;

export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  push(chunk: Buffer): OutputLine[] {
    return this.#split(this.#decoder.write(chunk));
  }

  end(): OutputLine[] {
    const lines = this.#split(this.#decoder.end());
    if (this.#rest !== '') lines.push({ line: this.#rest });
    this.#rest = '';
    return lines;
  }

  #split(text: string): OutputLine[] {
    const whole = (this.#rest + text).split(/\r?\n/);
    this.#rest = whole.pop() ?? '';
    const lines: OutputLine[] = whole.map((line) => ({ line }));
    while (this.#rest.length >= MAX_LINE_LENGTH) {
      lines.push({ line: this.#rest.slice(0, MAX_LINE_LENGTH), isCut: true });
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH);
    }
    return lines;
  }
}
