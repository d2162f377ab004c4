import type { Room } from 'livekit-server-sdk';

/** One room of a name, among the rooms that had this name one after another. */
export interface RoomInstance {
  readonly sid: string;
  /** When the room was created, on the server's clock, in milliseconds since the epoch; null if unknown. */
  readonly createdAt: number | null;
}

/** Returns the SID of a room and the time of its creation. */
export function roomInstance({ sid, creationTime, creationTimeMs }: Room): RoomInstance {
  // Older servers report seconds only.
  const createdAt = Number(creationTimeMs) || Number(creationTime) * 1000;
  return { sid, createdAt: createdAt || null };
}
