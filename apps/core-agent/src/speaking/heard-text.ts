const MS_PER_CHARACTER = 65;

/** Some scripts write words without spaces, so any character may be the last one. */
const WHOLE_WORDS =
  /^.*[\s\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/su;

interface Part {
  readonly written: string;
  readonly startMs: number;
  endMs: number | undefined;
  taken: number;
}

/**
 * Estimates the words that were heard when the sound has been played up to some time, as if the words were spread evenly
 * over the sound.
 */
export class HeardText {
  readonly #parts: Part[] = [];

  begin(written: string, startMs: number): void {
    this.#parts.push({ written, startMs, endMs: undefined, taken: 0 });
  }

  finish(endMs: number): void {
    const part = this.#parts.at(-1);
    if (part) part.endMs = endMs;
  }

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

  takeAll(): string {
    const words = this.#parts.map(({ written, taken }) => written.slice(taken)).join('');
    this.#parts.length = 0;
    return words;
  }
}

function takeWords(part: Part, playedMs: number): string {
  const { written, startMs, endMs, taken } = part;
  const sinceMs = Math.max(0, playedMs - startMs);
  const wholeMs =
    endMs === undefined ? Math.max(written.length * MS_PER_CHARACTER, sinceMs) : endMs - startMs;
  const heard = written.slice(0, Math.floor((written.length * sinceMs) / Math.max(1, wholeMs)));
  const end = WHOLE_WORDS.exec(heard)?.[0].length ?? 0;
  if (end <= taken) return '';
  part.taken = end;
  return written.slice(taken, end);
}
