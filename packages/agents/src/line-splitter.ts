import { StringDecoder } from 'node:string_decoder';

/** A longer line is cut in pieces: a program that never ends its line must not fill our memory. */
const LONGEST_LINE = 16_384;

/** Makes lines of a stream's chunks, which may end anywhere, in the middle of a character too. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  /** Gives the lines that `chunk` completes. */
  push(chunk: Buffer): string[] {
    return this.#split(this.#decoder.write(chunk));
  }

  /** Gives what is left when the stream has ended. */
  end(): string[] {
    const lines = this.#split(this.#decoder.end());
    if (this.#rest !== '') lines.push(this.#rest);
    this.#rest = '';
    return lines;
  }

  #split(text: string): string[] {
    const lines = (this.#rest + text).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    while (this.#rest.length >= LONGEST_LINE) {
      lines.push(this.#rest.slice(0, LONGEST_LINE));
      this.#rest = this.#rest.slice(LONGEST_LINE);
    }
    return lines;
  }
}
