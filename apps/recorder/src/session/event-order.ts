import type { RoomEvent } from '@session/contract/room';
import type { RoomEventReceiver } from '../message-path.ts';

/** What holds one position of the order: `events` is undefined while their sender is looked up. */
interface WaitingEvents {
  readonly receivedAt: number;
  events: readonly RoomEvent[] | undefined;
}

/**
 * Keeps a session's events in the order of their arrival while the senders of some are looked up: every later event waits
 * behind such an event. Passes each event on to `receiver` in its turn.
 */
export class EventOrder implements RoomEventReceiver {
  readonly #receiver: RoomEventReceiver;
  readonly #waiting: WaitingEvents[] = [];

  constructor(receiver: RoomEventReceiver) {
    this.#receiver = receiver;
  }

  /** Milliseconds since the epoch: the receipt time of the oldest waiting event. */
  get oldestAt(): number | undefined {
    return this.#waiting[0]?.receivedAt;
  }

  /** Passes the event on, at once when no other event waits. */
  push(event: RoomEvent): void {
    this.#waiting.push({ receivedAt: event.receivedAt, events: [event] });
    this.#passOn();
  }

  /** Keeps a position until `events` are known, and resolves then. `events` must not reject. */
  async hold(receivedAt: number, events: Promise<readonly RoomEvent[]>): Promise<void> {
    const waiting: WaitingEvents = { receivedAt, events: undefined };
    this.#waiting.push(waiting);
    waiting.events = await events;
    this.#passOn();
  }

  #passOn(): void {
    for (let next = this.#waiting[0]; next?.events; next = this.#waiting[0]) {
      this.#waiting.shift();
      for (const event of next.events) this.#receiver.push(event);
    }
  }
}
