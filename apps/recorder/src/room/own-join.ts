import type { Room } from '@livekit/rtc-node';
import { TRUSTED_REPLAY_MS } from './server-replay.ts';

/** Returns when this program joined the room, on the server's clock. Undefined: not reported. */
export function joinedAtOf({ localParticipant }: Room): number | undefined {
  const joinedAt = localParticipant?.info.joinedAt;
  return joinedAt === undefined ? undefined : Number(joinedAt);
}

/**
 * Returns when a connection began to receive, on the server's clock: at its join, unless the first packet came too late for
 * the server's replay. Null: not reported.
 */
export function receivesSince(joinedAt: number | undefined, firstProofMs = 0): number | null {
  if (joinedAt === undefined) return null;
  // Up to this long, the server's replay fills the time before the first packet.
  return joinedAt + (firstProofMs > TRUSTED_REPLAY_MS ? firstProofMs : 0);
}

/**
 * Returns how far the server's clock is ahead of the recorder's, negative if it is behind. `joinedAt` is the server's time of
 * a join that happened between `from` and `to`. Returns 0 if `joinedAt` is unknown or lies between them, because then the
 * clocks may agree. Otherwise returns the largest possible lead: a gap may seem longer than it was, but never shorter.
 */
export function serverLeadMs(joinedAt: number | undefined, from: number, to: number): number {
  if (!joinedAt || (joinedAt >= from && joinedAt <= to)) return 0;
  return joinedAt - from;
}
