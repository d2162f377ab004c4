import { setTimeout as sleep } from 'node:timers/promises';
import type { Room } from '@livekit/rtc-node';

const POLL_MS = 20;
const SRTP_BYTES = 10n;

export async function untilSent(room: Room): Promise<void> {
  while (room.isConnected && (await bufferedBytes(room)) > 0n) await sleep(POLL_MS);
}

/**
 * Returns how many bytes of data are not sent yet; negative if there are none. The SDK does not report the size of the buffer.
 * Its statistics count the bytes that the data channels accepted, and the bytes that the transport sent, packets of sound
 * included. The difference without those is buffered.
 */
export async function bufferedBytes(room: Room): Promise<bigint> {
  const { publisherStats } = await room.getRtcStats();
  let bytes = 0n;
  for (const { stats } of publisherStats) {
    if (stats.case === 'dataChannel') bytes += stats.value.dc?.bytesSent ?? 0n;
    if (stats.case === 'transport') bytes -= stats.value.transport?.bytesSent ?? 0n;
    if (stats.case !== 'outboundRtp') continue;
    const { sent, outbound } = stats.value;
    bytes += sent?.bytesSent ?? 0n;
    bytes += outbound?.headerBytesSent ?? 0n;
    bytes += (sent?.packetsSent ?? 0n) * SRTP_BYTES;
  }
  return bytes;
}
