import type { Room } from '@livekit/rtc-node';
import { withDeadline } from '@session/kit';
import { sdkInternals } from '../sdk-internals.ts';

const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Leaves the room, unless we have left it already, and frees everything that the SDK keeps of the room. After a removal
 * by the server the SDK leaves one listener behind, which keeps the whole room in memory. Takes at most 2 s, and never
 * throws.
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
