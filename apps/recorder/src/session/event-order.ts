import type { RoomEvent } from '@session/contract/room';
import type { RoomEventReceiver } from '../message-path.ts';

/** An event waits this many steps, 100 ms in all, for earlier text streams: one such stream ended 0.4 ms after its answer. */
const STEPS = 5;
const STEP_MS = 20;
const MAX_TEXTS = 1000;

interface WaitingEvents {
  readonly position: number;
  readonly receivedAt: number;
  readonly until: number;
  readonly hasWords: boolean;
  /** Undefined until the events are known: a sender or a name is looked up, a text is checked, or events are held back. */
  events: readonly RoomEvent[] | undefined;
}

interface AppendedEvents extends Omit<WaitingEvents, 'position' | 'until'> {
  readonly mayAnswer: boolean;
}

interface AwaitedText {
  readonly position: number;
  readonly until: number;
  isOpened: boolean;
}

/**
 * Keeps a session's events in the order of their arrival while senders are looked up: later events wait. The SDK reports a
 * packet at once, but the end of a text stream later, perhaps after the answer. So packets and ends of texts wait up to 100
 * ms for the streams that began before them, whose ends then come first.
 */
export class EventOrder implements RoomEventReceiver {
  readonly #receiver: RoomEventReceiver;
  readonly #waitStep: () => Promise<void>;
  /** In the order in which they are passed on: by position, except for texts that came too late. */
  readonly #waiting: WaitingEvents[] = [];
  readonly #texts = new Map<string, AwaitedText>();
  #position = 0;
  #step = 0;
  #isStepping = false;

  constructor(receiver: RoomEventReceiver, waitStep = waitRealStep) {
    this.#receiver = receiver;
    this.#waitStep = waitStep;
  }

  get oldestAt(): number {
    return this.#waiting.reduce((oldest, { receivedAt }) => Math.min(oldest, receivedAt), Infinity);
  }

  /** Leaves out joins and leaves, which rosters and webhooks report again, and the delays of other events. */
  get oldestWordsAt(): number {
    return this.#waiting.reduce(
      (oldest, { hasWords, receivedAt }) => (hasWords ? Math.min(oldest, receivedAt) : oldest),
      Infinity,
    );
  }

  begin(key: string, isOpened: boolean): void {
    const known = this.#texts.get(key);
    if (known) {
      known.isOpened ||= isOpened;
      return;
    }
    this.#texts.set(key, { position: this.#next(), until: this.#step + STEPS, isOpened });
    const [oldest = key] = this.#texts.keys();
    if (this.#texts.size > MAX_TEXTS) this.#texts.delete(oldest);
  }

  push(event: RoomEvent): void {
    const { type, receivedAt } = event;
    const mayAnswer = type === 'packet' || type === 'chat_message';
    const hasWords = mayAnswer || type === 'text_stream';
    this.#append({ receivedAt, events: [event], mayAnswer, hasWords });
    this.#passOn();
  }

  /**
   * Keeps a position until `events` are known; the promise must not reject. With `mayAnswer`, they wait for earlier
   * text streams.
   */
  async hold(
    receivedAt: number,
    events: Promise<readonly RoomEvent[]>,
    mayAnswer = false,
  ): Promise<void> {
    const waiting = this.#append({ receivedAt, events: undefined, mayAnswer, hasWords: true });
    await this.#fill(waiting, events);
  }

  /** Holds later events back until `over`, which must not reject. */
  async delay(receivedAt: number, over: Promise<unknown>): Promise<void> {
    const delay = { receivedAt, events: undefined, mayAnswer: false, hasWords: false };
    const waiting = this.#append(delay);
    await this.#fill(
      waiting,
      over.then(() => []),
    );
  }

  /**
   * Does the same as `hold`, but places the end of a text before the events that wait for it, and before those behind
   * them.
   */
  async holdEnd(
    key: string,
    receivedAt: number,
    events: Promise<readonly RoomEvent[]>,
  ): Promise<void> {
    const position = this.#texts.get(key)?.position ?? this.#next();
    this.#texts.delete(key);
    const index = this.#waiting.findIndex(
      (later) => later.position > position && later.until > this.#step,
    );
    const next = this.#waiting[index];
    if (!next) {
      const waiting = { receivedAt, events: undefined, mayAnswer: true, hasWords: true };
      await this.#fill(this.#append(waiting, position), events);
      return;
    }
    // The events behind this text must not wait longer because of it.
    const { until } = next;
    const waiting: WaitingEvents = {
      position,
      receivedAt,
      until,
      hasWords: true,
      events: undefined,
    };
    this.#waiting.splice(index, 0, waiting);
    await this.#fill(waiting, events);
  }

  forgetTexts(): void {
    this.#texts.clear();
    this.#passOn();
  }

  #next(): number {
    this.#position += 1;
    return this.#position;
  }

  #append({ mayAnswer, ...appended }: AppendedEvents, position = this.#next()): WaitingEvents {
    const until = mayAnswer ? this.#step + STEPS : (this.#waiting.at(-1)?.until ?? 0);
    const waiting: WaitingEvents = { ...appended, position, until };
    this.#waiting.push(waiting);
    if (!this.#isStepping && this.#areTextsAwaited) void this.#takeSteps();
    return waiting;
  }

  async #fill(waiting: WaitingEvents, events: Promise<readonly RoomEvent[]>): Promise<void> {
    waiting.events = await events;
    this.#passOn();
  }

  #passOn(): void {
    for (let [first] = this.#waiting; first?.events; [first] = this.#waiting) {
      if (this.#waitsForText(first)) return;
      this.#waiting.shift();
      for (const event of first.events) this.#receiver.push(event);
    }
  }

  #waitsForText({ position, until }: WaitingEvents): boolean {
    const [oldest] = this.#texts.values();
    return oldest !== undefined && oldest.position < position && until > this.#step;
  }

  get #areTextsAwaited(): boolean {
    return this.#texts.size > 0 && (this.#waiting.at(-1)?.until ?? 0) > this.#step;
  }

  async #takeSteps(): Promise<void> {
    this.#isStepping = true;
    while (this.#areTextsAwaited) {
      await this.#waitStep();
      this.#step += 1;
      for (const [key, { until, isOpened }] of this.#texts) {
        if (!isOpened && until <= this.#step) this.#texts.delete(key);
      }
      this.#passOn();
    }
    this.#isStepping = false;
  }
}

/** Waits for one step. A stall of the process counts as one step. */
export async function waitRealStep(): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, STEP_MS).unref());
  await new Promise((resolve) => void setImmediate(resolve));
}
