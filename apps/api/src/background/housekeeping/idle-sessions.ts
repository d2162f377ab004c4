import { isAgent, isRecorder } from '@session/contract/room';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';

/** So many rooms are looked into at the same time. */
const AT_ONCE = 20;

/** Gives how often to look, in milliseconds, so that a session is closed at most a twentieth too late. */
export function idleLookMs(idleMs: number): number {
  return Math.min(Math.max(idleMs / 20, 1000), 300_000);
}

/**
 * Closes the ACTIVE sessions in whose rooms nobody but recorders and agents was for `idleMs`, and gives their ids. To be
 * called every `idleLookMs(idleMs)`: nobody sees who leaves between two calls, so that much is added. Throws, and closes
 * nothing, when the media server or the database is away.
 */
export async function closeIdleSessions(
  { idleSessions, rooms, sessions }: Pick<Deps, 'idleSessions' | 'rooms' | 'sessions'>,
  idleMs: number,
): Promise<string[]> {
  const names = (await rooms.listRooms()).filter((name) => isUuid(name));
  const active = await idleSessions.listActiveSessions(names);
  const attended = new Set<string>();
  for (let begin = 0; begin < active.length; begin += AT_ONCE) {
    const some = active.slice(begin, begin + AT_ONCE).map(async (id) => {
      const present = await rooms.listParticipants(id);
      if (present.some((one) => !(isAgent(one) || isRecorder(one)))) attended.add(id);
    });
    await Promise.all(some);
  }
  await idleSessions.markAttended([...attended]);
  const closed: string[] = [];
  for (const id of await idleSessions.listIdleSessions(idleMs + idleLookMs(idleMs))) {
    if (attended.has(id)) continue;
    if (await sessions.closeSession(id, 'idle')) closed.push(id);
  }
  return closed;
}
