import * as db from '@session/db';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';

export async function deleteClosedRooms({ database, rooms }: Deps): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const finished = await db.listFinishedSessions(database, names);
  const deleted = await db.listDeletedRooms(database, names);
  const unwanted = [...new Set([...finished, ...deleted])];
  await Promise.all(unwanted.map((id) => rooms.deleteRoom(id)));
  await db.forgetDeletedRooms(database);
  return unwanted;
}
