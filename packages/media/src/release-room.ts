import type { Room } from '@livekit/rtc-node';
import { withDeadline } from '@session/kit';
import { sdkInternals } from './sdk-internals.ts';

const TIMEOUT_MS = 2000;

/**
 * Leaves the room, if that is still to be done, and frees what the SDK keeps of it: after a removal by the server it
 * leaves one listener behind, and with it all of the room. Takes 2 s at most, and never throws.
 */
export async function releaseRoom(room: Room): Promise<void> {
  // Measured: with a server that is frozen the SDK's own disconnect takes longer than 30 s.
  await withDeadline(room.disconnect(), TIMEOUT_MS).catch(() => {});
  room.removeAllListeners();
  const listener: unknown = Reflect.get(room, 'onFfiEvent');
  if (isListener(listener)) sdkInternals().client.off('ffi_event', listener);
}

function isListener(value: unknown): value is () => void {
  return typeof value === 'function';
}
