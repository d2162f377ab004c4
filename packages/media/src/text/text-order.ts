import type { TextStreamEvent } from '@session/contract/room';

/**
 * How long a text waits for earlier texts: longer than a process that was held up takes to read everything that has
 * arrived.
 */
const EARLIER_TEXTS_MS = 250;

/** A text that is being received. */
interface IncomingText {
  /** Reads the text until it is over. Returns when that was, in milliseconds since the epoch. */
  read(): Promise<number>;
  /** Returns the text, once it is known whether it is whole. */
  judge(): Promise<TextStreamEvent>;
}

/**
 * Called when a text ends, at `endedAt` (milliseconds since the epoch), before it is known whether the text is whole, and
 * whether an earlier text ends too. `texts` resolves to what belongs there, and never rejects: this text, or nothing, if
 * the text cannot be read or belongs to an earlier end. Texts of the same sender and topic that began before are among them.
 */
export type TextEnded = (endedAt: number, texts: Promise<readonly TextStreamEvent[]>) => void;

/** A text whose end is not reported yet. */
interface Text {
  /** When the text ended. Undefined: it is open. */
  endedAt: number | undefined;
  event: TextStreamEvent | undefined;
  /** What is reported for the end of this text. */
  readonly events: TextStreamEvent[];
  readonly reported: PromiseWithResolvers<readonly TextStreamEvent[]>;
}

/** The texts of one sender on one topic that are not reported yet. */
interface Source {
  /** In the order in which they began. */
  readonly begun: Text[];
  /** Those that have ended, in the order in which they ended. */
  readonly ended: Text[];
}

/**
 * Reports the texts of one sender on one topic in the order in which they began. A process that was held up reads
 * several texts at once, and the SDK then delivers the texts first that were complete from the start. So a text that
 * has ended waits for the texts that began before it, but only for a short time: an earlier text may really still be
 * running. No text is reported for a later end than its own: another participant may have answered it by then.
 */
export class TextOrder {
  readonly #ended: TextEnded;
  readonly #waitMs: number;
  /** By sender and topic. */
  readonly #sources = new Map<string, Source>();

  constructor(ended: TextEnded, waitMs = EARLIER_TEXTS_MS) {
    this.#ended = ended;
    this.#waitMs = waitMs;
  }

  /**
   * Reads a text that has just begun. `name` names its sender and topic. Resolves when the end of the text is reported;
   * rejects if the text cannot be read.
   */
  async add(name: string, incoming: IncomingText): Promise<void> {
    const source = this.#sources.get(name) ?? { begun: [], ended: [] };
    this.#sources.set(name, source);
    const text = createText();
    source.begun.push(text);
    let timer: NodeJS.Timeout | undefined;
    try {
      text.endedAt = await incoming.read();
      source.ended.push(text);
      this.#ended(text.endedAt, text.reported.promise);
      text.event = await incoming.judge();
      timer = setTimeout(() => reportUpTo(source, text), this.#waitMs);
      reportFirst(source);
      await text.reported.promise;
    } catch (error) {
      settle(source, text);
      reportFirst(source);
      throw error;
    } finally {
      clearTimeout(timer);
      const isOver = source.begun.length === 0 && this.#sources.get(name) === source;
      if (isOver) this.#sources.delete(name);
    }
  }
}

function createText(): Text {
  return {
    endedAt: undefined,
    event: undefined,
    events: [],
    reported: Promise.withResolvers(),
  };
}

/** Reports the texts that have ended and that wait for no earlier text. */
function reportFirst(source: Source): void {
  for (let [first] = source.begun; first?.event; [first] = source.begun) report(source, first);
}

/** Reports `text`, and before it the earlier texts that have ended too. */
function reportUpTo(source: Source, text: Text): void {
  const { begun } = source;
  for (const each of begun.slice(0, begun.indexOf(text) + 1)) report(source, each);
  reportFirst(source);
}

/** Reports a text that is judged: for its own end, or for that of a later text, if that text ended earlier. */
function report(source: Source, text: Text): void {
  if (!text.event) return;
  const from = source.begun.indexOf(text);
  const first = source.ended.find((other) => source.begun.indexOf(other) >= from) ?? text;
  first.events.push({ ...text.event, receivedAt: first.endedAt ?? text.event.receivedAt });
  settle(source, text);
}

/** Resolves what is reported for the end of a text. */
function settle({ begun, ended }: Source, text: Text): void {
  for (const texts of [begun, ended]) {
    const index = texts.indexOf(text);
    if (index >= 0) texts.splice(index, 1);
  }
  text.reported.resolve(text.events);
}
