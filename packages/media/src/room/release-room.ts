import type { Room } from '@livekit/rtc-node';
import { withDeadline } from '@session/kit';
import { sdkInternals } from '../sdk-internals.ts';

const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Leaves the room, and frees what the SDK keeps: a remaining listener would keep the whole room in memory. Takes at
 * most 2 s; never throws.
 */
export async function releaseRoom(room: Room): Promise<void> {
  // With a frozen server, the SDK's own disconnect was measured to take longer than 30 s.
  await withDeadline(room.disconnect(), DISCONNECT_TIMEOUT_MS).catch(() => {});
  room.removeAllListeners();
  const listener: unknown = Reflect.get(room, 'onFfiEvent');
  if (isListener(listener)) sdkInternals().client.off('ffi_event', listener);
}

function isListener(value: unknown): value is () => void {
  return typeof value === 'function';
}
