import type { Room } from 'livekit-server-sdk';

export interface RoomInstance {
  readonly sid: string;
  readonly createdAt: number | null;
}

export function roomInstance({ sid, creationTime, creationTimeMs }: Room): RoomInstance {
  // Older servers report seconds only.
  const createdAt = Number(creationTimeMs) || Number(creationTime) * 1000;
  return { sid, createdAt: createdAt || null };
}
