import type { Room } from '@livekit/rtc-node';

/**
 * Returns an id of the room's transport. A resume keeps it, and a full reconnect makes a new one; nothing else
 * distinguishes the two. Undefined without a certificate. Throws if the room is not connected.
 */
export async function transportId(room: Room): Promise<string | undefined> {
  const { publisherStats, subscriberStats } = await room.getRtcStats();
  const certificates = [...publisherStats, ...subscriberStats].flatMap(({ stats }) =>
    stats.case === 'transport' ? (stats.value.transport?.localCertificateId ?? []) : [],
  );
  return certificates.join() || undefined;
}
