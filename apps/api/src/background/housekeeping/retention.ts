import * as db from '@session/db';
import { pause } from '@session/kit';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import { WORK_MS } from '../shutdown-budget.ts';

export interface RetentionLimits {
  /** Messages per statement. While the statement runs, their session stores nothing. */
  readonly batchSize?: number;
  readonly pageSize?: number;
  readonly workMs?: number;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const TURN_MS = 500;
const BATCH_SIZE = 1000;
const PAGE_SIZE = 100;
/** The pause between two batches of a session, in which its new messages are stored. */
const BATCH_PAUSE_MS = 50;

interface Place {
  readonly projectId: string;
  readonly id: string;
  readonly createdAt: string;
}

interface Expired {
  readonly done: readonly string[];
  readonly isLeft: boolean;
}

const NOTHING: Expired = { done: [], isLeft: false };
const START: Place = { projectId: NIL, id: NIL, createdAt: '1970-01-01T00:00:00.000Z' };
const LASTING = new AbortController().signal;

/**
 * Deletes what projects no longer keep: CLOSED sessions as a whole, as if an ADMIN deleted them, and the oldest
 * messages of ACTIVE sessions. Once a day, goes through the old sessions of all projects that have a retention, a part
 * of them in each call of `work`. Each project gets its first turn before any gets a second one, so a project with much to
 * delete delays no other for long. The places are only in the memory of this process: another process that takes the
 * lead begins again, and finds nothing to delete in the finished part.
 */
export class Retention {
  readonly #database: Deps['database'];
  readonly #limits: Required<RetentionLimits>;
  /** The projects that had a turn and are not finished, in the order of their next turns. */
  readonly #places: Place[] = [];
  /** The last project that had its first turn; undefined once all projects had one. */
  #listed: string | undefined = NIL;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor({ database }: Pick<Deps, 'database'>, limits: RetentionLimits = {}) {
    this.#database = database;
    this.#limits = {
      batchSize: BATCH_SIZE,
      pageSize: PAGE_SIZE,
      workMs: WORK_MS,
      now: () => performance.now(),
      ...limits,
    };
  }

  /**
   * Continues the deletion, and returns what it deleted. A failing session delays no other; its error is thrown at the
   * end.
   */
  async work(): Promise<string[]> {
    const { now, workMs } = this.#limits;
    if (now() < this.#restsUntil) return [];
    const done: string[] = [];
    const failures: Error[] = [];
    const until = now() + workMs;
    do {
      const place = await this.#nextPlace();
      if (!place) {
        this.#restsUntil = now() + DAY_MS;
        this.#listed = NIL;
        break;
      }
      let left: Place | undefined = place;
      try {
        left = await this.#takeTurn(place, { until, done, failures });
      } finally {
        if (left) this.#places.push(left);
      }
    } while (now() < until);
    if (failures.length > 0)
      throw new AggregateError(failures, 'deleting history past its retention failed');
    return done;
  }

  async #nextPlace(): Promise<Place | undefined> {
    if (this.#listed !== undefined) {
      const [next] = await db.listProjectsWithRetention(this.#database, this.#listed, 1);
      this.#listed = next;
      if (next !== undefined) return { ...START, projectId: next };
    }
    return this.#places.shift();
  }

  async #takeTurn(
    start: Place,
    { until, done, failures }: { until: number; done: string[]; failures: Error[] },
  ): Promise<Place | undefined> {
    const { now, pageSize } = this.#limits;
    const end = Math.min(until, now() + TURN_MS);
    const isOver = () => now() >= end;
    let place = start;
    const sessions = await db.listOldSessions(this.#database, place.projectId, place, pageSize);
    for (const session of sessions) {
      const deleted = await this.#expire(place, session, isOver).catch(
        (error: unknown): Expired => {
          const message = `deleting old history of session ${session.id} failed`;
          failures.push(new Error(message, { cause: error }));
          return NOTHING;
        },
      );
      done.push(...deleted.done);
      if (deleted.isLeft) return place;
      place = { ...place, id: session.id, createdAt: session.createdAt };
      if (isOver()) return place;
    }
    return sessions.length < pageSize ? undefined : place;
  }

  async #expire(
    place: Place,
    { id, expired }: db.OldSession,
    isOver: () => boolean,
  ): Promise<Expired> {
    if (expired === 'session') {
      const isDeleted = await db.inTransaction(this.#database, async (transaction) => {
        // The project's retention may have become longer since the list was read.
        const [still] = await db.listOldSessions(transaction, place.projectId, place, 1);
        if (still?.id !== id || still.expired !== 'session') return false;
        return await db.markSessionDeleted(transaction, id);
      });
      return { done: isDeleted ? [`session ${id}`] : [], isLeft: false };
    }
    const { batchSize } = this.#limits;
    let count = 0;
    let isLeft = expired === 'messages';
    while (isLeft) {
      const deleted = await db.deleteExpiredMessages(this.#database, id, batchSize);
      count += deleted;
      isLeft = deleted === batchSize;
      if (isOver()) break;
      if (isLeft) await pause(BATCH_PAUSE_MS, LASTING);
    }
    return { done: count > 0 ? [`${count} messages of session ${id}`] : [], isLeft };
  }
}
