import { setTimeout as sleep } from 'node:timers/promises';
import type { Room } from '@livekit/rtc-node';

const POLL_MS = 20;

/**
 * Resolves when the network has taken all that was sent, or the connection is gone. The SDK does not tell what is still
 * buffered, but its statistics count the bytes that the data channels took, and those that the transport sent.
 */
export async function untilSent(room: Room): Promise<void> {
  while (room.isConnected) {
    const { publisherStats } = await room.getRtcStats();
    let waiting = 0n;
    for (const { stats } of publisherStats) {
      if (stats.case === 'dataChannel') waiting += stats.value.dc?.bytesSent ?? 0n;
      if (stats.case === 'transport') waiting -= stats.value.transport?.bytesSent ?? 0n;
    }
    if (waiting <= 0n) return;
    await sleep(POLL_MS);
  }
}
