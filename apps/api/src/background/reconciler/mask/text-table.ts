import { randomInt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { MIN_LENGTH } from './masked-forms.ts';

/** A longer text is found by its pieces of this length. So it is also found where only a part of it stands. */
export const MAX_LENGTH = 32;
/** Multiplier of the hash: the prime of FNV-1a. */
const PRIME = 0x01000193;
/** Spreads a hash over the slots of a table: 2³² divided by the golden ratio. */
const SPREAD = 0x9e3779b1;
/** How long the construction may keep requests waiting at a time. */
const SLICE_MS = 5;

/**
 * Finds texts of 4 to 32 characters in a longer text in one pass: whatever their number, each position costs at most 32 steps
 * of a hash, and nearly all positions cost four. A trie of all texts (Aho-Corasick) would need a hundred megabytes for the
 * largest template, and a regular expression in V8 tries the texts one after another.
 */
export class TextTable {
  /** The lengths of the texts that begin with the same four characters: bit n - 1 stands for the length n. */
  readonly #lengths: Int32Array;
  readonly #lengthShift: number;
  /** Open addressing: the index of a text plus one, or 0. */
  readonly #slots: Int32Array;
  readonly #slotShift: number;
  readonly #texts: readonly string[];
  readonly #hashes: Int32Array;
  /** Nobody outside knows it, so nobody can choose texts with equal hashes. */
  readonly #seed = randomInt(2 ** 31);
  /** The beginnings of texts that end with a line end. */
  readonly #lineStarts = new Set<string>();

  private constructor(texts: readonly string[]) {
    const bits = Math.max(4, Math.ceil(Math.log2(texts.length + 1)) + 1);
    this.#texts = texts;
    this.#hashes = new Int32Array(texts.length);
    this.#slots = new Int32Array(2 ** bits);
    this.#slotShift = 32 - bits;
    this.#lengths = new Int32Array(2 ** (bits + 2));
    this.#lengthShift = 32 - (bits + 2);
  }

  /** Returns the table of `texts`. Other work of this process goes on meanwhile. */
  static async build(texts: Iterable<string>): Promise<TextTable> {
    const pieces = new Set<string>();
    const turn = new Turn();
    for (const text of texts) {
      for (const piece of piecesOf(text)) pieces.add(piece);
      if (turn.isOver) await turn.pass();
    }
    const table = new TextTable([...pieces]);
    for (const index of table.#texts.keys()) {
      table.#add(index);
      if (turn.isOver) await turn.pass();
    }
    return table;
  }

  /** Returns the length of the longest text of the table that stands in `text` at `start`, or 0. */
  longestAt(text: string, start: number): number {
    const end = Math.min(text.length, start + MAX_LENGTH);
    let position = start + MIN_LENGTH;
    if (position > end) return 0;
    let hash = hashOf(text, start, position, this.#seed);
    const lengths = this.#lengths[Math.imul(hash, SPREAD) >>> this.#lengthShift] ?? 0;
    if (lengths === 0) return 0;
    let longest = 0;
    for (;;) {
      const length = position - start;
      if ((lengths >>> (length - 1)) & 1 && this.#has(text, start, length, hash)) longest = length;
      // No longer text begins like this one.
      if (position === end || lengths >>> length === 0) return longest;
      hash = Math.imul(hash ^ text.charCodeAt(position), PRIME);
      position += 1;
    }
  }

  /** Whether `text`, which ends with a line end, may end within a text of the table. */
  endsWithin(text: string): boolean {
    if (this.#lineStarts.size === 0) return false;
    for (let length = 1; length <= Math.min(MAX_LENGTH, text.length); length += 1) {
      if (this.#lineStarts.has(text.slice(-length))) return true;
    }
    return false;
  }

  #add(index: number): void {
    const text = this.#texts[index] ?? '';
    const start = hashOf(text, 0, MIN_LENGTH, this.#seed);
    const bits = Math.imul(start, SPREAD) >>> this.#lengthShift;
    this.#lengths[bits] = (this.#lengths[bits] ?? 0) | (1 << (text.length - 1));
    const hash = hashOf(text, MIN_LENGTH, text.length, start);
    this.#hashes[index] = hash;
    let slot = Math.imul(hash, SPREAD) >>> this.#slotShift;
    while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
    this.#slots[slot] = index + 1;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
      if (end + 1 < text.length) this.#lineStarts.add(text.slice(0, end + 1));
    }
  }

  #has(text: string, start: number, length: number, hash: number): boolean {
    let slot = Math.imul(hash, SPREAD) >>> this.#slotShift;
    for (;;) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return false;
      const found = this.#texts[index] ?? '';
      const isEqual = this.#hashes[index] === hash && found.length === length;
      if (isEqual && text.startsWith(found, start)) return true;
      slot = (slot + 1) % this.#slots.length;
    }
  }
}

/** Continues `hash` with the characters of `text` from `start` to `end`. */
function hashOf(text: string, start: number, end: number, hash: number): number {
  let next = hash;
  for (let position = start; position < end; position += 1) {
    next = Math.imul(next ^ text.charCodeAt(position), PRIME);
  }
  return next;
}

/** Returns pieces that together cover `text`. */
function* piecesOf(text: string): Generator<string> {
  if (text.length <= MAX_LENGTH) {
    yield text;
    return;
  }
  for (let start = 0; start + MAX_LENGTH <= text.length; start += MAX_LENGTH) {
    yield text.slice(start, start + MAX_LENGTH);
  }
  yield text.slice(-MAX_LENGTH);
}

/** Work in slices: after each slice other work of this process gets its turn. */
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
