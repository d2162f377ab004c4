import type { BrowserRoom, BrowserRoomSnapshot } from '@session/client/browser';
import { useSyncExternalStore } from 'react';

/** Returns what a room shows. The component renders again whenever it changes. */
export function useRoom(room: BrowserRoom): BrowserRoomSnapshot {
  return useSyncExternalStore(room.subscribe, room.getSnapshot);
}
