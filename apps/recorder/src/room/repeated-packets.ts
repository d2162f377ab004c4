import { hash } from 'node:crypto';
import type { RoomEvent } from '@session/contract/room';

/** Longer than an attempt to connect takes. */
const NOTED_MS = 30_000;
/** However fast somebody talks: past it the older half is forgotten, and may be stored twice. */
const MAX_NOTED = 10_000;
/** The server says again, to those who join, what was said in the last 2 s. */
const REPEATED_MS = 2000;
/** As far as a fresh room may be behind the one before it. */
const BEHIND_MS = 5000;

interface Packet {
  readonly digest: string;
  readonly identity: string | undefined;
  readonly receivedAt: number;
}

/**
 * What is heard twice, because a fresh room is joined while the one before it is still heard: one that has been frozen, say,
 * when all that was said meanwhile comes through both. A packet with an id is stored once all the same; others are to
 * come from one room alone. Who says the same words again, without an id, while two rooms are heard, may lose the second.
 */
export class Overlap {
  #packets: Packet[] = [];

  /** Notes what has come from the room that is recorded from. */
  note(event: RoomEvent): void {
    const packet = packetOf(event);
    if (!packet) return;
    this.#packets.push(packet);
    const [oldest = packet] = this.#packets;
    const isOld = oldest.receivedAt < packet.receivedAt - 2 * NOTED_MS;
    if (!isOld && this.#packets.length <= MAX_NOTED) return;
    const recent = this.#packets.filter(
      ({ receivedAt }) => receivedAt >= packet.receivedAt - NOTED_MS,
    );
    this.#packets = recent.length > MAX_NOTED ? recent.slice(-MAX_NOTED / 2) : recent;
  }

  /**
   * From now on another room is recorded from, which began to connect at `beganAt` (milliseconds since the epoch). Gives
   * what says of each of its events, in their order, whether it has come from the room before; each counts once.
   */
  follow(beganAt: number): (event: RoomEvent) => boolean {
    let left = this.#packets.filter(({ receivedAt }) => receivedAt >= beganAt - REPEATED_MS);
    const until = Date.now() + BEHIND_MS;
    this.#packets = [];
    return (event) => {
      if (left.length === 0) return false;
      if (event.receivedAt > until) left = [];
      const packet = packetOf(event);
      const same = packet ? left.findIndex((one) => isSame(one, packet)) : -1;
      if (same >= 0) left.splice(same, 1);
      return same >= 0;
    };
  }
}

function packetOf(event: RoomEvent): Packet | undefined {
  if (event.type !== 'packet') return undefined;
  const { payload, sender, receivedAt } = event;
  return { digest: hash('sha256', payload, 'base64'), identity: sender?.identity, receivedAt };
}

/** In one of the rooms its sender may not have been announced yet. */
function isSame(one: Packet, other: Packet): boolean {
  const isSender =
    one.identity === undefined || other.identity === undefined || one.identity === other.identity;
  return isSender && one.digest === other.digest;
}
