import type { OpenText } from './open-text.ts';

/** How many open text streams of one sender are read, and how many bytes they may hold together. */
const MAX_TEXTS = 50;
const MAX_BYTES = 2 * 1024 * 1024;

type Text = Pick<OpenText, 'giveUp' | 'identity' | 'sizeBytes'>;

/** Bounds the memory that the open text streams of each sender take: beyond the limits, the oldest is given up. */
export class TextLimits {
  /** By identity, in the order in which the streams began. */
  readonly #texts = new Map<string, Set<Text>>();

  add(text: Text): void {
    const texts = this.#texts.get(text.identity) ?? new Set();
    this.#texts.set(text.identity, texts.add(text));
    this.check(text);
  }

  /** Ends the oldest streams of the sender of `text`, which has grown, until the others are within the limits. */
  check({ identity }: Text): void {
    const texts = this.#texts.get(identity) ?? new Set();
    let sizeBytes = 0;
    for (const text of texts) sizeBytes += text.sizeBytes;
    for (const oldest of texts) {
      if (texts.size <= MAX_TEXTS && sizeBytes <= MAX_BYTES) return;
      sizeBytes -= oldest.sizeBytes;
      this.remove(oldest);
      oldest.giveUp();
    }
  }

  remove(text: Text): void {
    const texts = this.#texts.get(text.identity);
    texts?.delete(text);
    if (texts?.size === 0) this.#texts.delete(text.identity);
  }
}
