import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';

/**
 * Deletes the rooms of sessions that are CLOSED, once no live recorder is in them (10 s after the close at the latest), and of
 * those that are deleted, and gives their names. To be repeated: whoever still has a token can make such a room come back.
 * Rooms that are no session's are left alone. Throws when the media server or the database is away.
 */
export async function deleteClosedRooms({
  deletions,
  rooms,
  sessions,
}: Pick<Deps, 'deletions' | 'rooms' | 'sessions'>): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const finished = await sessions.listFinishedSessions(names);
  const deleted = await deletions.listDeletedRooms(names);
  const unwanted = [...new Set([...finished, ...deleted])];
  await Promise.all(unwanted.map((id) => rooms.deleteRoom(id)));
  await deletions.forgetDeletedRooms();
  return unwanted;
}
