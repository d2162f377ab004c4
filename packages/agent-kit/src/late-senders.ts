import {
  type Fields,
  isAgent,
  isFields,
  type PacketEvent,
  type Participant,
  packetFields,
  type RoomEvent,
} from '@session/contract/room';
import { pause } from '@session/kit';

/** Senders were announced within 20 ms of their packet, and on a busy machine within 1 s. */
const WAIT_MS = 1000;
const TOGETHER_MS = 50;
const MAX_HELD = 200;

export interface LateSendersOptions<Room> {
  readonly isSigned: (packet: unknown) => boolean;
  readonly pass: (event: RoomEvent, room: Room) => void;
  readonly waitMs?: number;
}

interface Held<Room> {
  readonly event: RoomEvent;
  readonly room: Room;
  readonly candidates: Participant[];
  readonly personCame: AbortController;
  isDone: boolean;
}

/**
 * Finds the senders of packets that LiveKit delivers without one. A packet that the API signed names its sender. Any other
 * packet waits up to `WAIT_MS` for the next person to be announced, who is the sender unless another person is announced at
 * almost the same time. If no person but exactly one agent is announced, that agent is the sender. Later packets and texts
 * wait meanwhile.
 */
export class LateSenders<Room> implements Disposable {
  readonly #options: LateSendersOptions<Room>;
  readonly #closing = new AbortController();
  readonly #held: Held<Room>[] = [];

  constructor(options: LateSendersOptions<Room>) {
    this.#options = options;
  }

  async receive(received: RoomEvent, room: Room): Promise<void> {
    const event = received.type === 'packet' ? this.#fromApi(received) : received;
    if (event.type === 'participant_joined' || event.type === 'participant_left') {
      if (event.type === 'participant_joined') this.#announced(event.participant);
      this.#options.pass(event, room);
      return;
    }
    const isSure = event.type !== 'packet' || event.sender !== null || event.isSigned === true;
    if (isSure && this.#held.length === 0) this.#options.pass(event, room);
    else await this.#hold(event, room, isSure);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#held.length = 0;
  }

  #fromApi(event: PacketEvent): PacketEvent {
    if (event.sender) return event;
    const packet = packetFields(event.payload);
    if (!this.#options.isSigned(packet)) return event;
    return { ...event, sender: senderIn(packet), isSigned: true };
  }

  #announced(participant: Participant): void {
    for (const { candidates, personCame } of this.#held) {
      candidates.push(participant);
      if (!isAgent(participant)) personCame.abort();
    }
  }

  async #hold(event: RoomEvent, room: Room, isDone: boolean): Promise<void> {
    const held = { event, room, candidates: [], personCame: new AbortController(), isDone };
    this.#held.push(held);
    const [oldest] = this.#held;
    if (oldest && this.#held.length > MAX_HELD) this.#release(oldest);
    if (!isDone) await this.#wait(held);
  }

  async #wait(held: Held<Room>): Promise<void> {
    const { waitMs = WAIT_MS } = this.#options;
    const closing = this.#closing.signal;
    const came = AbortSignal.any([held.personCame.signal, closing]);
    await pause(waitMs, came);
    if (came.aborted) await pause(TOGETHER_MS, closing);
    if (!closing.aborted) this.#release(held);
  }

  #release(held: Held<Room>): void {
    held.isDone = true;
    while (this.#held[0]?.isDone) {
      const next = this.#held.shift();
      if (next) this.#options.pass(withSender(next), next.room);
    }
  }
}

function withSender({ event, candidates }: Held<unknown>): RoomEvent {
  if (event.type !== 'packet' || event.sender) return event;
  const people = candidates.filter((one) => !isAgent(one));
  const [only, ...others] = people.length > 0 ? people : candidates;
  return only && others.length === 0 ? { ...event, sender: only } : event;
}

function senderIn(packet: Fields | undefined): Participant | null {
  const sender = packet?.['sender'];
  if (!isFields(sender) || typeof sender['identity'] !== 'string') return null;
  const { identity, name } = sender;
  return { identity, name: typeof name === 'string' ? name : '', sid: null, kind: 'standard' };
}
