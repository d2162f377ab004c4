import {
  isAgent,
  isFields,
  type PacketEvent,
  type Participant,
  type RoomEvent,
} from '@session/contract/room';
import { pause } from '@session/kit';

/** A recorder that gets a packet without a sender has the sender announced: in 20 ms, or in 1 s on a busy machine. */
const WAIT_MS = 1000;
/** Strangers that are announced within this time of each other may each have sent the packet. */
const TOGETHER_MS = 50;
/** More than people write within `WAIT_MS`. */
const MAX_HELD = 200;

export interface LateSendersOptions<Room> {
  /** Returns whether the API has signed a packet of this room. */
  readonly isSigned: (packet: unknown) => boolean;
  /** Receives every event, with the sender of each packet as far as it is known. */
  readonly pass: (event: RoomEvent, room: Room) => void;
  readonly waitMs?: number;
}

interface Held<Room> {
  readonly event: RoomEvent;
  readonly room: Room;
  /** Those who were announced while the packet waited. */
  readonly candidates: Participant[];
  readonly firstCame: AbortController;
  isDone: boolean;
}

/**
 * Names the senders of packets that LiveKit delivers without one. What the API has signed has the sender that the API names.
 * Any other packet comes from a stranger, or from a foreign server: it waits until a participant is announced, who is the
 * sender if nobody else is announced at the same moment. Later packets and texts wait behind it. Whether a stranger has left
 * unannounced is not known: its words then get the name of who is announced instead.
 */
export class LateSenders<Room> implements Disposable {
  readonly #options: LateSendersOptions<Room>;
  readonly #closing = new AbortController();
  readonly #held: Held<Room>[] = [];

  constructor(options: LateSendersOptions<Room>) {
    this.#options = options;
  }

  /** Resolves when the event is passed on. Rejects with what `pass` throws. */
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

  /** What waits is given up. */
  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#held.length = 0;
  }

  /** Returns the packet as one of the API, if its signature says so. */
  #fromApi(event: PacketEvent): PacketEvent {
    if (event.sender) return event;
    const packet = parsed(event.payload);
    if (!this.#options.isSigned(packet)) return event;
    return { ...event, sender: senderIn(packet), isSigned: true };
  }

  #announced(participant: Participant): void {
    for (const { candidates, firstCame } of this.#held) {
      candidates.push(participant);
      firstCame.abort();
    }
  }

  async #hold(event: RoomEvent, room: Room, isDone: boolean): Promise<void> {
    const held = { event, room, candidates: [], firstCame: new AbortController(), isDone };
    this.#held.push(held);
    const [oldest] = this.#held;
    if (oldest && this.#held.length > MAX_HELD) this.#release(oldest);
    if (!isDone) await this.#wait(held);
  }

  async #wait(held: Held<Room>): Promise<void> {
    const { waitMs = WAIT_MS } = this.#options;
    const closing = this.#closing.signal;
    const came = AbortSignal.any([held.firstCame.signal, closing]);
    await pause(waitMs, came);
    if (came.aborted) await pause(TOGETHER_MS, closing);
    if (!closing.aborted) this.#release(held);
  }

  /** The wait of a packet is over: it is passed on, and what waits behind it, up to the next packet that waits. */
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

function senderIn(packet: unknown): Participant | null {
  const sender = isFields(packet) ? packet['sender'] : undefined;
  if (!isFields(sender) || typeof sender['identity'] !== 'string') return null;
  const { identity, name } = sender;
  return { identity, name: typeof name === 'string' ? name : '', sid: null, kind: 'standard' };
}

function parsed(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
}
