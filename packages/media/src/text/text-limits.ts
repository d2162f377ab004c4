import type { OpenText } from './open-text.ts';

const MAX_TEXTS = 50;
const MAX_BYTES = 2 * 1024 * 1024;

type Text = Pick<OpenText, 'giveUp' | 'identity' | 'sizeBytes'>;

export class TextLimits {
  readonly #texts = new Map<string, Set<Text>>();

  add(text: Text): void {
    const texts = this.#texts.get(text.identity) ?? new Set();
    this.#texts.set(text.identity, texts.add(text));
    this.check(text);
  }

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
