import * as db from '@session/db';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';

/**
 * Deletes the rooms of deleted sessions and of CLOSED sessions, and returns their names. The room of a CLOSED session is
 * deleted once no live recorder is in it, or `LEAVE_TIME` of `packages/db` after the close. Has to be repeated, because a
 * participant with a valid token opens such a room again. Rooms that belong to no session are ignored. Throws when the media
 * server or the database is away.
 */
export async function deleteClosedRooms({ database, rooms }: Deps): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const finished = await db.listFinishedSessions(database, names);
  const deleted = await db.listDeletedRooms(database, names);
  const unwanted = [...new Set([...finished, ...deleted])];
  await Promise.all(unwanted.map((id) => rooms.deleteRoom(id)));
  await db.forgetDeletedRooms(database);
  return unwanted;
}
