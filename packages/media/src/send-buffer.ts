import { setTimeout as sleep } from 'node:timers/promises';
import type { Room } from '@livekit/rtc-node';

const POLL_MS = 20;

/**
 * Resolves when the network has taken all sent data, or the connection is gone. The SDK does not report how much is
 * still buffered. Its statistics count the bytes that the data channels accepted and the bytes that the transport sent:
 * the difference is buffered.
 */
export async function untilSent(room: Room): Promise<void> {
  while (room.isConnected) {
    const { publisherStats } = await room.getRtcStats();
    let bufferedBytes = 0n;
    for (const { stats } of publisherStats) {
      if (stats.case === 'dataChannel') bufferedBytes += stats.value.dc?.bytesSent ?? 0n;
      if (stats.case === 'transport') bufferedBytes -= stats.value.transport?.bytesSent ?? 0n;
    }
    if (bufferedBytes <= 0n) return;
    await sleep(POLL_MS);
  }
}
