import type { TextStreamEvent } from '@session/contract/room';

/** Longer than a process that was held up takes to read all that has come meanwhile. */
const PATIENCE_MS = 250;

interface Text {
  event: TextStreamEvent | undefined;
  readonly reported: PromiseWithResolvers<void>;
}

/**
 * Reports the texts of one sender on one topic in the order in which they began, if they also ended in it. A process that
 * was held up reads several texts at once, and the SDK then gives those first that it has had whole from the start. So
 * each waits for those that began before it; but not for long, since one of them may really go on.
 */
export class TextOrder {
  readonly #report: (event: TextStreamEvent) => void;
  readonly #patienceMs: number;
  /** Those that are not reported yet, by sender and topic, in the order in which they began. */
  readonly #texts = new Map<string, Text[]>();

  constructor(report: (event: TextStreamEvent) => void, patienceMs = PATIENCE_MS) {
    this.#report = report;
    this.#patienceMs = patienceMs;
  }

  /** A text begins that `reading` gives when it is over. Resolves when it is reported; rejects as `reading` does. */
  async add(source: string, reading: Promise<TextStreamEvent>): Promise<void> {
    const text: Text = { event: undefined, reported: Promise.withResolvers() };
    this.#texts.set(source, [...(this.#texts.get(source) ?? []), text]);
    try {
      text.event = await reading;
    } catch (error) {
      this.#remove(source, text);
      this.#reportFirst(source);
      throw error;
    }
    this.#reportFirst(source);
    const patience = setTimeout(() => this.#reportUpTo(source, text), this.#patienceMs);
    await text.reported.promise;
    clearTimeout(patience);
  }

  /** Reports all that have ended and wait for none. */
  #reportFirst(source: string): void {
    for (let first = this.#first(source); first?.event; first = this.#first(source)) {
      this.#reportNow(source, first);
    }
  }

  /** Reports `text`, and before it those that began earlier and have ended too. */
  #reportUpTo(source: string, text: Text): void {
    const texts = this.#texts.get(source) ?? [];
    for (const one of texts.slice(0, texts.indexOf(text) + 1)) this.#reportNow(source, one);
    this.#reportFirst(source);
  }

  #reportNow(source: string, text: Text): void {
    if (!text.event) return;
    this.#remove(source, text);
    this.#report(text.event);
    text.reported.resolve();
  }

  #remove(source: string, text: Text): void {
    const others = this.#texts.get(source)?.filter((one) => one !== text) ?? [];
    if (others.length > 0) this.#texts.set(source, others);
    else this.#texts.delete(source);
  }

  #first(source: string): Text | undefined {
    return this.#texts.get(source)?.[0];
  }
}
