import { hash } from 'node:crypto';
import type { RoomEvent } from '@session/contract/room';

const REMEMBERED_MS = 30_000;
/** Above this limit, the older half is forgotten, and may be stored twice. */
const MAX_REMEMBERED = 10_000;
const MAX_LAG_MS = 5000;

interface Packet {
  readonly digest: string;
  readonly identity: string | undefined;
  readonly receivedAt: number;
}

/**
 * Packets that come twice while a fresh room is joined and the former one still receives. A frozen room delivers
 * everything after the freeze. A packet without an id must be taken from only one of the two rooms. If a sender repeats
 * words without an id at that time, the second packet may be lost.
 */
export class RepeatedPackets {
  #packets: Packet[] = [];

  remember(event: RoomEvent): void {
    const packet = packetOf(event);
    if (!packet) return;
    this.#packets.push(packet);
    const [oldest = packet] = this.#packets;
    const isOld = oldest.receivedAt < packet.receivedAt - 2 * REMEMBERED_MS;
    if (!isOld && this.#packets.length <= MAX_REMEMBERED) return;
    const recent = this.#packets.filter(
      ({ receivedAt }) => receivedAt >= packet.receivedAt - REMEMBERED_MS,
    );
    this.#packets = recent.length > MAX_REMEMBERED ? recent.slice(-MAX_REMEMBERED / 2) : recent;
  }

  /**
   * Returns the detector for the next room, which began to connect at `beganAt`, and forgets the former room's packets. Call
   * the detector with each event in order: it returns whether the former room delivered that event. Each packet received since
   * `beganAt` stands for one event; the server sends no older one to the next room.
   */
  detectorFor(beganAt: number, now: number): (event: RoomEvent) => boolean {
    let unmatched = this.#packets.filter(({ receivedAt }) => receivedAt >= beganAt);
    const until = now + MAX_LAG_MS;
    this.#packets = [];
    return (event) => {
      if (unmatched.length === 0) return false;
      if (event.receivedAt > until) unmatched = [];
      const packet = packetOf(event);
      const match = packet ? unmatched.findIndex((other) => isSame(other, packet)) : -1;
      if (match >= 0) unmatched.splice(match, 1);
      return match >= 0;
    };
  }
}

function packetOf(event: RoomEvent): Packet | undefined {
  if (event.type !== 'packet') return undefined;
  const { payload, sender, receivedAt } = event;
  return { digest: hash('sha256', payload, 'base64'), identity: sender?.identity, receivedAt };
}

function isSame(left: Packet, right: Packet): boolean {
  const isSameSender =
    left.identity === undefined || right.identity === undefined || left.identity === right.identity;
  return isSameSender && left.digest === right.digest;
}
