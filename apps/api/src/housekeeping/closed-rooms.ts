import { validate as isUuid } from 'uuid';
import type { Deps } from '../deps.ts';

/**
 * Deletes the rooms of sessions that are CLOSED, once no live recorder is in them (10 s after the close at the latest), and
 * gives their names. To be repeated: whoever still has a token can make such a room come back. Rooms that are no session's
 * are left alone. Throws when the media server or the database is away.
 */
export async function deleteClosedRooms({
  rooms,
  sessions,
}: Pick<Deps, 'rooms' | 'sessions'>): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const finished = await sessions.listFinishedSessions(names);
  await Promise.all(finished.map((id) => rooms.deleteRoom(id)));
  return finished;
}
