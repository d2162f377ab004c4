import * as db from '@session/db';
import type { RoomService } from '@session/media/server';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import { WORK_MS } from '../shutdown-budget.ts';
import { FailedIds } from './failed-ids.ts';
import { forEach } from './for-each.ts';

interface ClosedRoomDeps extends Pick<Deps, 'database'> {
  readonly rooms: Pick<RoomService, 'deleteRoom' | 'listRooms'>;
}

interface ClosedRoomLimits {
  readonly stop?: AbortSignal;
  readonly workMs?: number;
  readonly now?: () => number;
}

const ROOMS_AT_ONCE = 8;

/**
 * Deletes rooms of closed and deleted sessions, and returns their names. Must be called repeatedly, because an old
 * token can open a room again. A failing room delays no other: its error is thrown at the end. If a room fails twice
 * in a row, calls with the same `failed` skip it for a minute.
 */
export async function deleteClosedRooms(
  { database, rooms }: ClosedRoomDeps,
  failed = new FailedIds(),
  { stop, workMs = WORK_MS, now = () => performance.now() }: ClosedRoomLimits = {},
): Promise<string[]> {
  const until = now() + workMs;
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const finished = await db.listFinishedSessions(database, names);
  const noted = await db.listDeletedRooms(database, names);
  const omitted = new Set(failed.list());
  const unwanted = [...new Set([...finished, ...noted])].filter((name) => !omitted.has(name));
  const deleted: string[] = [];
  const failures: Error[] = [];
  await forEach(unwanted, ROOMS_AT_ONCE, async (name) => {
    if (stop?.aborted || now() >= until) return;
    try {
      await rooms.deleteRoom(name);
      failed.succeeded(name);
      deleted.push(name);
    } catch (error) {
      // The media server may have been away only briefly.
      failed.add(name, error, true);
      failures.push(new Error(`room ${name} was not deleted`, { cause: error }));
    }
  });
  await db.forgetDeletedRooms(database);
  if (failures.length > 0)
    throw new AggregateError(failures, 'rooms of closed sessions were not deleted');
  return deleted;
}
