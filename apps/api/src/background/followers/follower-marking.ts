import * as db from '@session/db';
import { NIL } from 'uuid';
import { WORK_MS } from '../shutdown-budget.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EPOCH = '1970-01-01T00:00:00.000Z';
const LASTING = new AbortController().signal;
const SESSIONS_AT_ONCE = 5000;

/**
 * A stored message moves its session's clock to the time of its receipt, so this is longer than a recorder usually keeps
 * messages while the database is away.
 */
const MOVED_WITHIN_MS = 7 * DAY;
/** After a longer time without a call, another process may have led. */
const LONGEST_PAUSE_MS = MINUTE;

/**
 * Marks the sessions in which a follower is behind, and in which something was stored or happened within the last week. Of all
 * others only the heads are read: a million in a second. Stops when `signal` aborts. Returns how many sessions no notification
 * had named.
 */
export async function markMoved(
  database: db.DatabaseAccess,
  signal: AbortSignal = LASTING,
): Promise<number> {
  let count = 0;
  for (let after: string | null = NIL; after !== null && !signal.aborted; ) {
    const step: MarkedStep = await markFrom(database, after, MOVED_WITHIN_MS);
    count += step.marked;
    after = step.last;
  }
  return count;
}

interface MarkedStep {
  readonly last: string | null;
  readonly marked: number;
}

async function markFrom(
  database: db.DatabaseAccess,
  after: string,
  movedWithinMs: number | null,
): Promise<MarkedStep> {
  return await db.markFollowersFrom(database, after, SESSIONS_AT_ONCE, movedWithinMs);
}

/** Marks the next sessions. After an error, the next call repeats the step. */
type Walk = () => Promise<{ readonly isOver: boolean; readonly marked: number }>;

export interface MarkingLimits {
  readonly workMs?: number;
  readonly now?: () => number;
}

/**
 * Returns the chore that marks sessions however long nothing has happened in them, a part of them in each call, and returns
 * how many. All sessions: when this process begins to lead, and once a day. The sessions of a project: for a webhook that has
 * become active, which may begin with what was stored long ago, or has no marks of what was stored while it was disabled.
 */
export function createFollowerMarking(
  { database }: { readonly database: db.DatabaseAccess },
  { workMs = WORK_MS, now = () => performance.now() }: MarkingLimits = {},
): () => Promise<string[]> {
  /** Each takes a step in turn, because that of all sessions may take minutes. */
  let walks: Walk[] = [];
  let known = new Set<string>();
  let [calledAt, allAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return async () => {
    const active = await db.listActiveFollowers(database);
    if (now() - calledAt > LONGEST_PAUSE_MS || now() - allAt > DAY) {
      allAt = now();
      walks = [walkOfAll(database)];
    } else {
      const begun = active.filter((id) => !known.has(id));
      walks.push(...begun.map((id) => walkOfProject(database, id)));
    }
    known = new Set(active);
    calledAt = now();
    let count = 0;
    let walk = walks.shift();
    while (walk) {
      // Behind the others, even after an error: no walk holds up another.
      walks.push(walk);
      const { isOver, marked } = await walk();
      count += marked;
      if (isOver) walks.pop();
      walk = now() - calledAt < workMs ? walks.shift() : undefined;
    }
    return count > 0 ? [`${count} sessions`] : [];
  };
}

function walkOfAll(database: db.DatabaseAccess): Walk {
  let after: string = NIL;
  return async () => {
    const { last, marked } = await markFrom(database, after, null);
    after = last ?? after;
    return { isOver: last === null, marked };
  };
}

/** A follower of all projects is created by a migration, before this process begins to lead. */
function walkOfProject(database: db.DatabaseAccess, followerId: string): Walk {
  let place: db.SessionPlace = { sessionId: NIL, createdAt: EPOCH };
  return async () => {
    const { last, marked } = await db.markFollowerFrom(
      database,
      followerId,
      place,
      SESSIONS_AT_ONCE,
    );
    place = last ?? place;
    return { isOver: last === null, marked };
  };
}
