import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { HashPairs } from './hash-pairs.ts';
import { MIN_LENGTH } from './masked-forms.ts';

/** A longer text is found by its pieces of this length, even if only a part of it is present. */
export const MAX_LENGTH = 32;
const PRIME = 0x01000193;
const OTHER_PRIME = 0x85ebca6b;
const SLICE_MS = 5;

/**
 * Finds texts of 4 to 32 characters in one pass. A position usually costs four steps of a hash, and never more than 32 steps of
 * two hashes, whatever the number of texts. The table keeps two hashes of each text. A trie (Aho-Corasick) would need a hundred
 * megabytes, and a regular expression tries the texts one after another.
 */
export class TextTable {
  /** The lengths of the texts that begin with four characters of this hash: bit n - 1 stands for the length n. */
  readonly #lengths = new HashPairs();
  readonly #texts = new HashPairs();
  readonly #lineStarts = new HashPairs();
  readonly #seed = randomInt(2 ** 31);
  readonly #otherSeed = randomInt(2 ** 31);

  private constructor() {}

  /** Builds the table in slices, between which other work of this process gets a turn. */
  static async build(texts: Iterable<string>): Promise<TextTable> {
    const table = new TextTable();
    const turn = new Turn();
    for (const text of texts) {
      for (const piece of piecesOf(text)) table.#add(piece);
      if (turn.isOver) await turn.pass();
    }
    return table;
  }

  longestAt(text: string, start: number): number {
    const end = Math.min(text.length, start + MAX_LENGTH);
    let position = start + MIN_LENGTH;
    if (position > end) return 0;
    let hash = hashOf(text, start, position, this.#seed, PRIME);
    const lengths = this.#lengths.secondOf(hash);
    if (lengths === 0) return 0;
    let other = hashOf(text, start, position, this.#otherSeed, OTHER_PRIME);
    let longest = 0;
    for (;;) {
      const length = position - start;
      if ((lengths >>> (length - 1)) & 1 && this.#texts.has(hash, other | 1)) longest = length;
      // No longer text begins like this one.
      if (position === end || lengths >>> length === 0) return longest;
      const character = text.charCodeAt(position);
      hash = Math.imul(hash ^ character, PRIME);
      other = Math.imul(other ^ character, OTHER_PRIME);
      position += 1;
    }
  }

  endsWithin(text: string): boolean {
    if (this.#lineStarts.size === 0) return false;
    for (let length = 1; length <= Math.min(MAX_LENGTH, text.length); length += 1) {
      if (this.#lineStarts.has(...this.#hashesOf(text, text.length - length, text.length))) {
        return true;
      }
    }
    return false;
  }

  #add(text: string): void {
    this.#texts.add(...this.#hashesOf(text, 0, text.length));
    this.#lengths.addBits(hashOf(text, 0, MIN_LENGTH, this.#seed, PRIME), 1 << (text.length - 1));
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
      if (end + 1 < text.length) this.#lineStarts.add(...this.#hashesOf(text, 0, end + 1));
    }
  }

  #hashesOf(text: string, start: number, end: number): [number, number] {
    const other = hashOf(text, start, end, this.#otherSeed, OTHER_PRIME);
    return [hashOf(text, start, end, this.#seed, PRIME), other | 1];
  }
}

function hashOf(text: string, start: number, end: number, hash: number, prime: number): number {
  let next = hash;
  for (let position = start; position < end; position += 1) {
    next = Math.imul(next ^ text.charCodeAt(position), prime);
  }
  return next;
}

/**
 * Returns pieces that cover `text` except for some line ends. No piece begins with a line end, because each line would
 * then wait for the next.
 */
function* piecesOf(text: string): Generator<string> {
  let start = nextInLine(text, 0);
  while (start + MAX_LENGTH < text.length) {
    yield text.slice(start, start + MAX_LENGTH);
    start = nextInLine(text, start + MAX_LENGTH);
  }
  const last = text.slice(nextInLine(text, Math.max(0, text.length - MAX_LENGTH)));
  if (last.length >= MIN_LENGTH) yield last;
}

function nextInLine(text: string, start: number): number {
  let position = start;
  while (text[position] === '\n') position += 1;
  return position;
}

class Turn {
  #endsAt = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() > this.#endsAt;
  }

  async pass(): Promise<void> {
    await setImmediate();
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
