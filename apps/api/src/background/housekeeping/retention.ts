import * as db from '@session/db';
import { pause } from '@session/kit';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';

export interface RetentionLimits {
  /** Messages per statement. Meanwhile their session stores nothing. */
  readonly batchSize?: number;
  readonly pageSize?: number;
  readonly workMs?: number;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
/** How long one call may take: other work that shares the leader's shutdown budget waits for it. */
const WORK_MS = 2500;
const BATCH_SIZE = 1000;
const PAGE_SIZE = 100;
/** The pause between two batches of a session, in which its new messages are stored. */
const BATCH_PAUSE_MS = 50;
interface Place {
  readonly projectId: string;
  readonly id: string;
  readonly createdAt: string;
}

/** `isLeft`: time ran out before all was deleted. */
interface Expired {
  readonly done: readonly string[];
  readonly isLeft: boolean;
}

const NOTHING: Expired = { done: [], isLeft: false };
const START: Place = { projectId: NIL, id: NIL, createdAt: '1970-01-01T00:00:00.000Z' };
const LASTING = new AbortController().signal;

/**
 * Deletes what projects no longer keep: CLOSED sessions as a whole, as an ADMIN does, and the first messages of ACTIVE ones.
 * It goes through the old sessions of all such projects once a day, a part of them in each call of `work`. Only this process
 * knows its place: another process that takes the lead begins again, and finds nothing left to do in the finished part.
 */
export class Retention {
  readonly #database: Deps['database'];
  readonly #limits: Required<RetentionLimits>;
  #place = START;
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

  /** Continues, and returns what was deleted. A failing session delays no other; its error is thrown at the end. */
  async work(): Promise<string[]> {
    const { now, workMs } = this.#limits;
    if (now() < this.#restsUntil) return [];
    const done: string[] = [];
    const failures: Error[] = [];
    const until = now() + workMs;
    const isOver = () => now() >= until;
    do {
      const sessions = await this.#nextSessions();
      if (!sessions) {
        this.#restsUntil = now() + DAY_MS;
        break;
      }
      for (const session of sessions) {
        const deleted = await this.#expire(session, isOver).catch((error: unknown): Expired => {
          failures.push(new Error(`session ${session.id} keeps what is too old`, { cause: error }));
          return NOTHING;
        });
        done.push(...deleted.done);
        if (deleted.isLeft) break;
        this.#place = { ...this.#place, id: session.id, createdAt: session.createdAt };
        if (isOver()) break;
      }
    } while (!isOver());
    if (failures.length > 0) throw new AggregateError(failures, 'what is too old was not deleted');
    return done;
  }

  /** Returns the next old sessions of the project; an empty list before the next project, undefined after the last. */
  async #nextSessions(): Promise<db.OldSession[] | undefined> {
    const { projectId } = this.#place;
    if (projectId !== NIL) {
      const { pageSize } = this.#limits;
      const found = await db.listOldSessions(this.#database, projectId, this.#place, pageSize);
      if (found.length > 0) return found;
    }
    const [next] = await db.listProjectsWithRetention(this.#database, projectId, 1);
    this.#place = next === undefined ? START : { ...START, projectId: next };
    return next === undefined ? undefined : [];
  }

  async #expire({ id, expired }: db.OldSession, isOver: () => boolean): Promise<Expired> {
    if (expired === 'session') {
      const { projectId } = this.#place;
      const isDeleted = await db.inTransaction(this.#database, async (transaction) => {
        // The project may keep it longer since the list was read.
        const [still] = await db.listOldSessions(transaction, projectId, this.#place, 1);
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
