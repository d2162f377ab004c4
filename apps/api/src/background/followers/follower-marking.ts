import * as db from '@session/db';
import { NIL } from 'uuid';
import { WORK_MS } from '../shutdown-budget.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EPOCH = '1970-01-01T00:00:00.000Z';
const LASTING = new AbortController().signal;
const SESSIONS_AT_ONCE = 5000;

/**
 * A message that a recorder kept while the database was away moves its session's clock only to the time of its receipt.
 * So this is longer than recorders usually keep messages.
 */
const MOVED_WITHIN_MS = 7 * DAY;
/** After a longer pause between calls, another process may have led. */
const LONGEST_PAUSE_MS = MINUTE;

/**
 * Marks the sessions in which a follower is behind and something was stored or happened within the last week. Of all
 * other sessions, reads only the heads: a million in a second. Stops when `signal` aborts. Returns how many sessions no
 * notification had named.
 */
export async function markMoved(
  database: db.DatabaseAccess,
  signal: AbortSignal = LASTING,
): Promise<number> {
  let count = 0;
  for (let after: string | null = NIL; after !== null && !signal.aborted; ) {
    const step: { last: string | null; marked: number } = await db.markFollowersFrom(
      database,
      after,
      SESSIONS_AT_ONCE,
      MOVED_WITHIN_MS,
    );
    count += step.marked;
    after = step.last;
  }
  return count;
}

type Walk = () => Promise<{ readonly isOver: boolean; readonly marked: number }>;

export interface MarkingLimits {
  readonly workMs?: number;
  readonly now?: () => number;
}

/**
 * Returns the chore that marks sessions regardless of when something last happened in them. Each call marks a part of
 * them, and returns how many. All sessions are marked when this process begins to lead, and once a day. The sessions of
 * a project are marked when a webhook becomes active: it may begin with old messages, or lack marks of what was stored
 * while it was disabled.
 */
export function createFollowerMarking(
  { database }: { readonly database: db.DatabaseAccess },
  { workMs = WORK_MS, now = () => performance.now() }: MarkingLimits = {},
): () => Promise<string[]> {
  /** The walks take turns, because a walk over all sessions may take minutes. */
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
      // Moved to the end before it runs, so that an error does not stop the other walks.
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
    const { last, marked } = await db.markFollowersFrom(database, after, SESSIONS_AT_ONCE);
    after = last ?? after;
    return { isOver: last === null, marked };
  };
}

/**
 * Marks sessions of the follower's project. Followers of all projects need no walk of their own, because a migration
 * creates them before this process begins to lead.
 */
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
