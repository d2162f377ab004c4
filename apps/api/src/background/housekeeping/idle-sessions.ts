import { isAgent } from '@session/contract/room';
import * as db from '@session/db';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import { forEach } from './for-each.ts';

const CONCURRENCY = 20;

/** Returns the pause between two checks (ms): a twentieth of `idleMs`, but at least 1 s and at most 5 min. */
export function idleCheckMs(idleMs: number): number {
  return Math.min(Math.max(idleMs / 20, 1000), 300_000);
}

/**
 * Closes the ACTIVE sessions in whose rooms no check found a user for `idleMs` plus `idleCheckMs(idleMs)`, and which
 * got no message of a user for `idleMs`. Returns their ids. Agents, recorders and observers do not count as users.
 * Throws when the media server or the database is away, and closes nothing unless all rooms were checked.
 */
export async function closeIdleSessions(
  { database, rooms }: Deps,
  idleMs: number,
): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const active = await db.listActiveSessions(database, names);
  const attended = new Set<string>();
  await forEach(active, CONCURRENCY, async (id) => {
    const participants = await rooms.listParticipants(id);
    const hasPerson = participants.some((other) => !(isAgent(other) || other.isHidden));
    if (hasPerson) attended.add(id);
  });
  await db.markAttended(database, [...attended]);
  const closed: string[] = [];
  for (const id of await db.listIdleSessions(database, idleMs + idleCheckMs(idleMs))) {
    if (attended.has(id)) continue;
    if (await db.closeSession(database, id, 'idle')) closed.push(id);
  }
  return closed;
}
