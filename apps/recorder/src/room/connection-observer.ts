import type { RoomLink } from './room-link.ts';

/** What a recording learns from its connection apart from events. Nothing here may throw. */
export interface ConnectionObserver {
  changed(): void;
  /** A room is recorded from now on: a fresh one, or the same one, reconnected. Its events follow. */
  connected(link: RoomLink, isFresh: boolean): void;
  interrupted(link: RoomLink): void;
  parted(link: RoomLink): void;
}
