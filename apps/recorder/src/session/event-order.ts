import type { RoomEvent } from '@session/contract/room';
import type { RoomEventReceiver } from '../message-path.ts';

/** The events that stand at one position of the order; undefined while their sender is looked up. */
interface Position {
  readonly receivedAt: number;
  events: readonly RoomEvent[] | undefined;
}

/**
 * Keeps a session's events in the order of their arrival while the senders of some are looked up: every later event waits
 * behind such an event.
 */
export class EventOrder implements RoomEventReceiver {
  readonly #receiver: RoomEventReceiver;
  readonly #positions: Position[] = [];

  constructor(receiver: RoomEventReceiver) {
    this.#receiver = receiver;
  }

  /** Milliseconds since the epoch: when the oldest waiting event was received. */
  get oldestAt(): number | undefined {
    return this.#positions[0]?.receivedAt;
  }

  /** Passes the event on, at once when no other event waits. */
  push(event: RoomEvent): void {
    this.#positions.push({ receivedAt: event.receivedAt, events: [event] });
    this.#passOn();
  }

  /** Keeps a position until `events` are known, and resolves then. `events` must not reject. */
  async hold(receivedAt: number, events: Promise<readonly RoomEvent[]>): Promise<void> {
    const position: Position = { receivedAt, events: undefined };
    this.#positions.push(position);
    position.events = await events;
    this.#passOn();
  }

  #passOn(): void {
    for (let next = this.#positions[0]; next?.events; next = this.#positions[0]) {
      this.#positions.shift();
      for (const event of next.events) this.#receiver.push(event);
    }
  }
}
