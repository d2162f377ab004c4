import type { OpenErasure } from '@session/db';
import * as db from '@session/db';
import { pause } from '@session/kit';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import { WORK_MS } from '../shutdown-budget.ts';

type ErasureDeps = Pick<Deps, 'database' | 'storedNotifier'>;

export interface ErasureLimits {
  readonly workMs?: number;
  readonly atOnce?: number;
  readonly now?: () => number;
}

/** The least time that an erasure gets in its turn, however many projects have open erasures. */
const LEAST_SHARE_MS = 400;
const AT_ONCE = 20;
/**
 * The pause between two batches: each erased message moves its session's clock by a millisecond, and the clock must not
 * get far ahead.
 */
const AHEAD_PAUSE_MS = 100;
const LASTING = new AbortController().signal;

/**
 * Continues the unfinished erasures, one after another. Returns the id and the former status of each erasure that
 * reached its next status. Must be called repeatedly. The projects share the time, so that no account delays the
 * erasures of others for long. The time that is left after a round goes to the erasures that need more.
 *
 * An interrupted call loses nothing: erased messages are marked, and the next call continues from the last noted place.
 * A `waiting` erasure continues when every living recorder has acknowledged it, and then erases what has reached the
 * history meanwhile. A failing erasure delays no other; its error is thrown at the end.
 */
export async function carryOutErasures(
  deps: ErasureDeps,
  { workMs = WORK_MS, atOnce = AT_ONCE, now = () => performance.now() }: ErasureLimits = {},
): Promise<string[]> {
  const results: Results = { ended: [], failures: [] };
  const time: Time = { now, until: now() + workMs };
  let open = await db.listOpenErasures(deps.database, atOnce);
  while (open.length > 0 && now() < time.until) {
    const unfinished = await carryOutRound(deps, open, time, results);
    // Read again, because the places of the erasures have changed.
    const stillOpen = unfinished.size > 0 ? await db.listOpenErasures(deps.database, atOnce) : [];
    open = stillOpen.filter(({ id }) => unfinished.has(id));
  }
  const { ended, failures } = results;
  if (failures.length > 0) throw new AggregateError(failures, 'erasures failed');
  return ended;
}

interface Time {
  readonly now: () => number;
  readonly until: number;
}

interface Results {
  readonly ended: string[];
  readonly failures: Error[];
}

async function carryOutRound(
  deps: ErasureDeps,
  open: readonly OpenErasure[],
  { now, until }: Time,
  { ended, failures }: Results,
): Promise<Set<string>> {
  const unfinished = new Set<string>();
  const projects = new Set(open.map(({ projectId }) => projectId));
  const shareMs = Math.max(LEAST_SHARE_MS, (until - now()) / projects.size);
  for (const erasure of open) {
    const end = Math.min(until, now() + shareMs);
    const isOver = () => now() >= end;
    if (isOver()) break;
    try {
      if (await carryOut(deps, erasure, isOver)) ended.push(`${erasure.id} ${erasure.status}`);
      else if (isOver()) unfinished.add(erasure.id);
    } catch (error) {
      failures.push(new Error(`erasure ${erasure.id} failed`, { cause: error }));
      await db.noteErasureFailure(deps.database, erasure.id);
    }
  }
  return unfinished;
}

async function carryOut(
  deps: ErasureDeps,
  erasure: OpenErasure,
  isOver: () => boolean,
): Promise<boolean> {
  const { database } = deps;
  const { id, projectId, sessionId, messageIds, identity, userId, requestedBy } = erasure;
  if (sessionId !== null && messageIds === null && identity === null) {
    if (!erasure.hasDigest) await db.eraseSession(database, { id, sessionId, requestedBy });
    return await db.endSessionErasure(database, erasure);
  }
  const { isErased, place } = await eraseWords(deps, erasure, isOver);
  if (!isErased) return false;
  if (!(await erasePrinted(deps, erasure, isOver))) {
    // Otherwise the next call would search again for messages that this call has erased.
    if (place) await db.noteErasurePlace(database, erasure, place);
    return false;
  }
  if (userId !== null) await db.forgetInAudit(database, { id: userId, projectId });
  return await db.endErasurePass(database, erasure);
}

interface ErasedWords {
  readonly isErased: boolean;
  readonly place?: db.ErasurePlace;
}

async function eraseWords(
  deps: ErasureDeps,
  erasure: OpenErasure,
  isOver: () => boolean,
): Promise<ErasedWords> {
  const { id, sessionId, messageIds } = erasure;
  if (sessionId !== null && messageIds !== null) {
    return { isErased: await eraseIds(deps, { id, sessionId, ids: messageIds }, isOver) };
  }
  const place = await erasePerson(deps, erasure, isOver);
  return place ? { isErased: true, place } : { isErased: false };
}

async function erasePrinted(
  { database }: ErasureDeps,
  erasure: OpenErasure,
  isOver: () => boolean,
): Promise<boolean> {
  let isFirst = true;
  for (const sessionId of await db.listErasedSessions(database, erasure)) {
    if (!isFirst && isOver()) return false;
    if (!(await eraseLogs(database, { id: erasure.id, sessionId }, isOver))) return false;
    isFirst = false;
  }
  return true;
}

async function erasePerson(
  deps: ErasureDeps,
  erasure: OpenErasure,
  isOver: () => boolean,
): Promise<db.ErasurePlace | undefined> {
  const { database } = deps;
  const { id, projectId, sessionId, until } = erasure;
  const identity = erasure.identity ?? `user-${erasure.userId}`;
  const start = { sessionId: sessionId ?? NIL, createdAt: db.BEFORE_ALL, after: db.BEFORE_ALL };
  let place: db.ErasurePlace = erasure.place ?? start;
  for (;;) {
    if (isOver()) {
      await db.noteErasurePlace(database, erasure, place);
      return undefined;
    }
    const found = await db.listMessagesOfPerson(database, { ...place, identity, until });
    const batch = { id, sessionId: place.sessionId, ids: found.ids };
    if (!(await eraseIds(deps, batch, isOver))) continue;
    if (found.next !== undefined) {
      place = { ...place, after: found.next };
      continue;
    }
    await db.eraseSequences(database, { sessionId: place.sessionId, identity });
    const next = sessionId === null ? await findNext(database, projectId, place) : undefined;
    if (!next) return place;
    place = next;
  }
}

async function findNext(
  database: db.DatabaseAccess,
  projectId: string,
  place: db.ErasurePlace,
): Promise<db.ErasurePlace | undefined> {
  const next = await db.findNextSession(database, projectId, place);
  return next && { ...next, after: db.BEFORE_ALL };
}

interface Batch {
  readonly id: string;
  readonly sessionId: string;
  readonly ids: readonly string[];
}

async function eraseIds(
  { database, storedNotifier }: ErasureDeps,
  { id: erasureId, sessionId, ids }: Batch,
  isOver: () => boolean,
): Promise<boolean> {
  if (ids.length === 0) return true;
  let hasErased = false;
  for (;;) {
    const { erased, isLeft } = await db.eraseMessages(database, { sessionId, ids, erasureId });
    if (erased > 0) storedNotifier.notify([sessionId]);
    hasErased ||= erased > 0;
    if (!isLeft || isOver()) {
      // Lines that are left are erased at the end of the pass.
      if (hasErased) await eraseLogs(database, { id: erasureId, sessionId }, isOver);
      return !isLeft;
    }
    await pause(AHEAD_PAUSE_MS, LASTING);
  }
}

async function eraseLogs(
  database: db.DatabaseAccess,
  { id: erasureId, sessionId }: Pick<Batch, 'id' | 'sessionId'>,
  isOver: () => boolean,
): Promise<boolean> {
  while (await db.eraseAgentLogs(database, { sessionId, erasureId })) if (isOver()) return false;
  return true;
}
