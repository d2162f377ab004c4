import { senderOf } from '@session/contract/room';
import type { OpenText } from './open-text.ts';

const MAX_TEXTS = 50;
const MAX_WORDLESS = 50;
const MAX_BYTES = 2 * 1024 * 1024;

type Text = Pick<OpenText, 'close' | 'giveUp' | 'identity' | 'sizeBytes'>;

interface SenderTexts {
  readonly open: Set<Text>;
  readonly wordless: Set<Text>;
}

/** Bounds the cost of each sender's open text streams: above the limits, the oldest are given up. */
export class TextLimits {
  readonly #senders = new Map<string, SenderTexts>();

  add(text: Text): void {
    const sender = senderOf(text.identity);
    const texts = this.#senders.get(sender) ?? { open: new Set(), wordless: new Set() };
    this.#senders.set(sender, texts);
    texts.open.add(text);
    this.check(text);
  }

  check({ identity }: Text): void {
    const texts = this.#senders.get(senderOf(identity));
    if (!texts) return;
    giveUpOldest(texts);
    for (const oldest of texts.wordless) {
      if (texts.wordless.size <= MAX_WORDLESS) return;
      texts.wordless.delete(oldest);
      oldest.close();
    }
  }

  remove(text: Text): void {
    const sender = senderOf(text.identity);
    const texts = this.#senders.get(sender);
    texts?.open.delete(text);
    texts?.wordless.delete(text);
    if (texts?.open.size === 0 && texts.wordless.size === 0) this.#senders.delete(sender);
  }
}

function giveUpOldest({ open, wordless }: SenderTexts): void {
  let sizeBytes = 0;
  for (const text of open) sizeBytes += text.sizeBytes;
  for (const oldest of open) {
    if (open.size <= MAX_TEXTS && sizeBytes <= MAX_BYTES) return;
    sizeBytes -= oldest.sizeBytes;
    open.delete(oldest);
    if (oldest.sizeBytes === 0) wordless.add(oldest);
    oldest.giveUp();
  }
}
