import { setTimeout as sleep } from 'node:timers/promises';
import { DataPacketKind, type LocalParticipant, type Room } from '@livekit/rtc-node';
import { fieldIn } from '../ffi-event.ts';
import { sdkInternals } from '../sdk-internals.ts';

const LAST_PACKETS = 10;
const LAST_PACKETS_INTERVAL_MS = 20;
const TO_NOBODY = { reliable: true, destination_identities: [''] };

/**
 * Resolves once the connection has sent all data, and a lost last packet had time to be repeated. Throws if we leave.
 * With a threshold of 0, the SDK accepts a packet to nobody only when everything before it is sent. SCTP repeats a lost
 * packet after 400 ms, or at once when later packets arrive, so more packets to nobody follow.
 */
export async function untilSent(room: Room): Promise<void> {
  const self = room.localParticipant;
  if (!self || !room.isConnected) return;
  holdBackWhileBuffered(self);
  for (let sent = 0; sent < LAST_PACKETS; sent += 1) {
    await self.publishData(new Uint8Array(1), TO_NOBODY);
    await sleep(LAST_PACKETS_INTERVAL_MS);
  }
}

/** Sets the threshold to 0. The SDK's native half has this setting, but its participant has no method for it. */
function holdBackWhileBuffered(self: LocalParticipant): void {
  const localParticipantHandle = fieldIn(Reflect.get(self, 'ffi_handle'), 'handle');
  sdkInternals().client.request({
    message: {
      case: 'setDataChannelBufferedAmountLowThreshold',
      value: { localParticipantHandle, threshold: 0n, kind: DataPacketKind.KIND_RELIABLE },
    },
  });
}
