import type { Room } from '@livekit/rtc-node';

/**
 * Gives what tells the transport that a room has from any other that it had before. A resume of the SDK keeps it, a full
 * reconnect makes a new one with a certificate of its own, and nothing else tells the two apart: both have the same
 * events, and these in any order. Undefined when it does not say. Throws when the room is not connected.
 */
export async function transportId(room: Room): Promise<string | undefined> {
  const { publisherStats, subscriberStats } = await room.getRtcStats();
  const certificates = [...publisherStats, ...subscriberStats].flatMap(({ stats }) =>
    stats.case === 'transport' ? (stats.value.transport?.localCertificateId ?? []) : [],
  );
  return certificates.join() || undefined;
}
