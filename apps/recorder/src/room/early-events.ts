import type { PublishedTrack } from '@session/media';
import type {
  BegunText,
  EndedText,
  ReceivedEvent,
  ReceivedEventReceiver,
} from '../message-path.ts';

const MAX_EARLY_EVENTS = 10_000;

interface EarlyEvent {
  readonly receivedAt: number;
  readonly pass: (receiver: ReceivedEventReceiver) => void;
}

/** Keeps the events of a link until `RoomConnection` records from it, and passes them on from then on. */
export class EarlyEvents implements ReceivedEventReceiver {
  readonly #leaving: AbortSignal;
  readonly #onError: (error: unknown) => void;
  #early: EarlyEvent[] = [];
  #receiver: ReceivedEventReceiver | undefined;

  constructor(leaving: AbortSignal, onError: (error: unknown) => void) {
    this.#leaving = leaving;
    this.#onError = onError;
  }

  get receiver(): ReceivedEventReceiver | undefined {
    return this.#receiver;
  }

  get oldestAt(): number {
    return Math.min(...this.#early.map(({ receivedAt }) => receivedAt));
  }

  receive(received: ReceivedEvent): void {
    const { receivedAt } = received.event;
    this.#take({ receivedAt, pass: (receiver) => receiver.receive(received) });
  }

  receiveBegin(begun: BegunText): void {
    this.#take({ receivedAt: Infinity, pass: (receiver) => receiver.receiveBegin(begun) });
  }

  receiveEnd(ended: EndedText): void {
    const { receivedAt } = ended;
    this.#take({ receivedAt, pass: (receiver) => receiver.receiveEnd(ended) });
  }

  receiveTrack(track: PublishedTrack): void {
    this.#take({ receivedAt: Infinity, pass: (receiver) => receiver.receiveTrack(track) });
  }

  deliver(receiver: ReceivedEventReceiver): void {
    this.#receiver = receiver;
    for (const { pass } of this.#early) pass(receiver);
    this.#early = [];
  }

  #take(event: EarlyEvent): void {
    if (this.#receiver) event.pass(this.#receiver);
    // A room that is being left gets no receiver.
    else if (this.#leaving.aborted) this.#early = [];
    else if (this.#early.length < MAX_EARLY_EVENTS) this.#early.push(event);
    else {
      const message = 'dropping event: too many arrived before recording from this room began';
      this.#onError(new Error(message));
    }
  }
}
