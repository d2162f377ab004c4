import type { Room } from '@livekit/rtc-node';
import { sdkInternals } from './sdk-internals.ts';

/**
 * Leaves the room, if that is still to be done, and frees what the SDK keeps of it: after a removal by the server it
 * leaves one listener behind, and with it all of the room.
 */
export async function releaseRoom(room: Room): Promise<void> {
  await room.disconnect();
  room.removeAllListeners();
  const listener: unknown = Reflect.get(room, 'onFfiEvent');
  if (isListener(listener)) sdkInternals().client.off('ffi_event', listener);
}

function isListener(value: unknown): value is () => void {
  return typeof value === 'function';
}
