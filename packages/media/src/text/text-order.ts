import type { TextStreamEvent } from '@session/contract/room';

const EARLIER_TEXTS_MS = 250;

interface Text {
  event: TextStreamEvent | undefined;
  readonly reported: PromiseWithResolvers<void>;
}

/**
 * Reports a sender's texts on a topic in the order in which they began. After a delay, a process reads several at once,
 * in any order. So an ended text waits `EARLIER_TEXTS_MS` for earlier texts, although these may in fact be unfinished.
 */
export class TextOrder {
  readonly #report: (event: TextStreamEvent) => void;
  readonly #waitMs: number;
  readonly #texts = new Map<string, Text[]>();

  constructor(report: (event: TextStreamEvent) => void, waitMs = EARLIER_TEXTS_MS) {
    this.#report = report;
    this.#waitMs = waitMs;
  }

  async add(source: string, reading: Promise<TextStreamEvent>): Promise<void> {
    const text: Text = { event: undefined, reported: Promise.withResolvers() };
    this.#texts.set(source, [...(this.#texts.get(source) ?? []), text]);
    try {
      text.event = await reading;
    } catch (error) {
      this.#remove(source, text);
      this.#reportEnded(source);
      throw error;
    }
    this.#reportEnded(source);
    const timer = setTimeout(() => this.#reportUpTo(source, text), this.#waitMs);
    await text.reported.promise;
    clearTimeout(timer);
  }

  #reportEnded(source: string): void {
    for (let first = this.#first(source); first?.event; first = this.#first(source)) {
      this.#reportNow(source, first);
    }
  }

  #reportUpTo(source: string, text: Text): void {
    const texts = this.#texts.get(source) ?? [];
    for (const ended of texts.slice(0, texts.indexOf(text) + 1)) this.#reportNow(source, ended);
    this.#reportEnded(source);
  }

  #reportNow(source: string, text: Text): void {
    if (!text.event) return;
    this.#remove(source, text);
    this.#report(text.event);
    text.reported.resolve();
  }

  #remove(source: string, text: Text): void {
    const others = this.#texts.get(source)?.filter((other) => other !== text) ?? [];
    if (others.length > 0) this.#texts.set(source, others);
    else this.#texts.delete(source);
  }

  #first(source: string): Text | undefined {
    return this.#texts.get(source)?.[0];
  }
}
