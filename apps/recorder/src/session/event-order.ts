import type { RoomEvent } from '@session/contract/room';

/** Events in their order; undefined while they are being completed. */
interface Place {
  readonly receivedAt: number;
  events: readonly RoomEvent[] | undefined;
}

/**
 * Keeps a session's events in the order of their arrival while some of them wait for what they lack: whatever came after
 * such a one waits behind it.
 */
export class Arrivals {
  readonly #deliver: (event: RoomEvent) => void;
  readonly #places: Place[] = [];

  constructor(deliver: (event: RoomEvent) => void) {
    this.#deliver = deliver;
  }

  /** Milliseconds since the epoch: when the oldest of those that wait was received. */
  get oldestAt(): number | undefined {
    return this.#places[0]?.receivedAt;
  }

  /** Delivers the event, at once when nothing waits. */
  push(event: RoomEvent): void {
    this.#places.push({ receivedAt: event.receivedAt, events: [event] });
    this.#drain();
  }

  /** Keeps an event's place until `events` says what belongs there; resolves then. It must not reject. */
  async hold(receivedAt: number, events: Promise<readonly RoomEvent[]>): Promise<void> {
    const place: Place = { receivedAt, events: undefined };
    this.#places.push(place);
    place.events = await events;
    this.#drain();
  }

  #drain(): void {
    for (let first = this.#places[0]; first?.events; first = this.#places[0]) {
      this.#places.shift();
      for (const event of first.events) this.#deliver(event);
    }
  }
}
