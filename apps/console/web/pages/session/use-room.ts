import type { BrowserRoom, BrowserRoomSnapshot } from '@session/client/browser';
import { useSyncExternalStore } from 'react';

export function useRoom(room: BrowserRoom): BrowserRoomSnapshot {
  return useSyncExternalStore(room.subscribe, room.getSnapshot);
}
