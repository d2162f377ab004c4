import type { TextStreamEvent } from '@session/contract/room';

interface Ended {
  /** Texts are numbered as they begin. */
  readonly place: number;
  readonly event: TextStreamEvent;
}

/**
 * Reports texts in the order in which they have ended. Of several whose last parts are read in one go, as by a process that
 * was held up, the SDK gives those first that it has had whole from the start: these are put back into the order in which
 * they began.
 */
export class TextOrder {
  readonly #report: (event: TextStreamEvent) => void;
  #begun = 0;
  #ended: Ended[] = [];

  constructor(report: (event: TextStreamEvent) => void) {
    this.#report = report;
  }

  /** A text begins that `reading` gives when it is over. Resolves when it is reported; rejects as `reading` does. */
  async add(reading: Promise<TextStreamEvent>): Promise<void> {
    const place = this.#begun;
    this.#begun += 1;
    const event = await reading;
    this.#ended.push({ place, event });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const ended = this.#ended.toSorted((a, b) => a.place - b.place);
    this.#ended = [];
    for (const text of ended) this.#report(text.event);
  }
}
