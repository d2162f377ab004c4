import type { RoomLink } from './room-link.ts';

/** What the recording of a session learns from its connection, beside the events. None of these may throw. */
export interface ConnectionObserver {
  /** The state, or the number of attempts, has changed. */
  changed(): void;
  /** A room is recorded from: a fresh room, or the same room after the SDK has reconnected it. Its events follow. */
  connected(link: RoomLink, isFresh: boolean): void;
  /** The room does not receive any more. */
  interrupted(link: RoomLink): void;
  /** A room is not recorded from any more that was kept for participants who had been left behind. */
  parted(link: RoomLink): void;
}
