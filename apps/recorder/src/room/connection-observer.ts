import type { RoomLink } from './room-link.ts';

/** What the recording of a session learns from its connection, apart from the events. None of these may throw. */
export interface ConnectionObserver {
  changed(): void;
  /** A room is recorded from: a fresh room, or the same room after the SDK has reconnected it. Its events follow. */
  connected(link: RoomLink, isFresh: boolean): void;
  interrupted(link: RoomLink): void;
  parted(link: RoomLink): void;
}
