/** How long a character takes to speak, while nothing better is known. */
const MS_PER_CHARACTER = 65;

interface Part {
  readonly written: string;
  readonly startMs: number;
  endMs: number | undefined;
  /** How many characters were taken. */
  taken: number;
}

/**
 * Knows which words of an answer were heard when its sound has been played up to some time. The sound of a sentence says not
 * where its words are: they are spread over it evenly.
 */
export class HeardText {
  readonly #parts: Part[] = [];

  /** A sentence begins at `startMs` of the sound. */
  begin(written: string, startMs: number): void {
    this.#parts.push({ written, startMs, endMs: undefined, taken: 0 });
  }

  /** The last sentence ends at `endMs` of the sound. */
  finish(endMs: number): void {
    const part = this.#parts.at(-1);
    if (part) part.endMs = endMs;
  }

  /** Returns the words that were heard since the last call, up to `playedMs` of the sound. */
  take(playedMs: number): string {
    let words = '';
    for (let part = this.#parts[0]; part; part = this.#parts[0]) {
      if (part.endMs === undefined || playedMs < part.endMs)
        return words + takeWords(part, playedMs);
      words += part.written.slice(part.taken);
      this.#parts.shift();
    }
    return words;
  }

  /** Returns all words that were not taken. */
  takeAll(): string {
    const words = this.#parts.map(({ written, taken }) => written.slice(taken)).join('');
    this.#parts.length = 0;
    return words;
  }
}

/** Takes whole words only. */
function takeWords(part: Part, playedMs: number): string {
  const { written, startMs, endMs, taken } = part;
  const sinceMs = Math.max(0, playedMs - startMs);
  const wholeMs =
    endMs === undefined ? Math.max(written.length * MS_PER_CHARACTER, sinceMs) : endMs - startMs;
  const heard = written.slice(0, Math.floor((written.length * sinceMs) / Math.max(1, wholeMs)));
  const end = heard.search(/\s\S*$/) + 1;
  if (end <= taken) return '';
  part.taken = end;
  return written.slice(taken, end);
}
