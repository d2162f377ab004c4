import type { Room } from '@livekit/rtc-node';

/**
 * Returns an id that differs between the transports that a room has one after another. When the SDK resumes a connection it
 * keeps the transport; a full reconnect makes a new one with its own certificate. Nothing else distinguishes the two: both emit
 * the same events, in any order. Returns undefined if the statistics name no certificate. Throws if the room is not connected.
 */
export async function transportId(room: Room): Promise<string | undefined> {
  const { publisherStats, subscriberStats } = await room.getRtcStats();
  const certificates = [...publisherStats, ...subscriberStats].flatMap(({ stats }) =>
    stats.case === 'transport' ? (stats.value.transport?.localCertificateId ?? []) : [],
  );
  return certificates.join() || undefined;
}
