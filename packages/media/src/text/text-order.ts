import type { TextStreamEvent } from '@session/contract/room';

/**
 * How long a text waits for earlier texts: longer than a process that was held up takes to read everything that has
 * arrived.
 */
const EARLIER_TEXTS_MS = 250;

interface Text {
  event: TextStreamEvent | undefined;
  readonly reported: PromiseWithResolvers<void>;
}

/**
 * Reports the texts of one sender on one topic in the order in which they began. A process that was held up reads
 * several texts at once, and the SDK then delivers the texts first that were complete from the start. So a text that
 * has ended waits for the texts that began before it, but only for a short time: an earlier text may really still be
 * running.
 */
export class TextOrder {
  readonly #report: (event: TextStreamEvent) => void;
  readonly #waitMs: number;
  /** The texts that are not reported yet, by source (sender and topic), in the order in which they began. */
  readonly #texts = new Map<string, Text[]>();

  constructor(report: (event: TextStreamEvent) => void, waitMs = EARLIER_TEXTS_MS) {
    this.#report = report;
    this.#waitMs = waitMs;
  }

  /**
   * Adds a text that has just begun; `reading` resolves to the text when it is over. Resolves when the text is
   * reported; rejects if `reading` does.
   */
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

  /** Reports the texts that have ended and that wait for no earlier text. */
  #reportEnded(source: string): void {
    for (let first = this.#first(source); first?.event; first = this.#first(source)) {
      this.#reportNow(source, first);
    }
  }

  /** Reports `text`, and before it the earlier texts that have ended too. */
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
