import type { PendingSession } from '../message-path.ts';
import type { RecorderQueries } from '../queries.ts';
import type { Timing } from '../timing.ts';

export interface OpenInterval {
  readonly sessionId: string;
  readonly intervalId: string;
  readonly from: number;
  readonly isWritten: boolean;
  readonly undecidedSince: number;
}

interface Known {
  readonly now: number;
  readonly waiting: ReadonlyMap<string, PendingSession>;
  readonly intervals: readonly OpenInterval[];
}

type ProgressTiming = Pick<Timing, 'heartbeatMs' | 'holdBackMs'>;

interface Unstored extends OpenInterval, PendingSession {}

interface Mark {
  readonly at: number;
  /** Whether an answer was lost: then the database has this mark, or the mark before it. */
  readonly isUnknown: boolean;
}

/** A shorter standstill cannot be told from a slow heartbeat. */
const LATE_HEARTBEATS = 2;
const NO_MARK: Mark = { at: Infinity, isUnknown: false };
const NOTHING_WAITS: PendingSession = { since: Infinity, isAlone: false };

/**
 * The time until which everything is stored (`flushed_at`), for which the recorders of all sessions wait. Old words in
 * memory, or a session in a lane, delay it by at most `holdBackMs`. After that, their interval is marked at its oldest
 * word: if the recorder dies, the interval ends there. The interval stays marked while that word is old, or older than
 * the last `flushed_at`. Messages that wait together with other sessions, as after an outage, get no mark: each
 * heartbeat would write one for each session.
 */
export class StoredProgress {
  readonly #queries: Pick<RecorderQueries, 'updateUnsure'>;
  readonly #timing: ProgressTiming;
  #marks = new Map<string, Mark>();
  #flushedAt = 0;
  #updatedAt = Infinity;

  constructor(queries: Pick<RecorderQueries, 'updateUnsure'>, timing: ProgressTiming) {
    this.#queries = queries;
    this.#timing = timing;
  }

  /**
   * Stores the marks that changed, and returns the time until which everything is stored. The previous call must have
   * ended. A failed mark is retried.
   */
  async update({ now, waiting, intervals }: Known): Promise<number> {
    const unstored = intervals.map((interval) => {
      const { since, isAlone } = waiting.get(interval.sessionId) ?? NOTHING_WAITS;
      return { ...interval, isAlone, since: Math.min(interval.undecidedSince, since) };
    });
    this.#marks = new Map(intervals.map(({ intervalId: id }) => [id, this.#markOf(id)]));
    await this.#write(unstored, now);
    const notMarked = unstored.map(({ intervalId, since }) => {
      const { at, isUnknown } = this.#markOf(intervalId);
      return at <= since && !isUnknown ? Infinity : since;
    });
    // The messages of an earlier interval have no mark.
    const begins = new Map(intervals.map(({ sessionId, from }) => [sessionId, from]));
    const earlier = Array.from(waiting, ([sessionId, { since }]) =>
      (begins.get(sessionId) ?? Infinity) <= since ? Infinity : since,
    );
    this.#flushedAt = Math.min(this.#readUntil(now, intervals), ...notMarked, ...earlier);
    return this.#flushedAt;
  }

  /**
   * Returns the time until which this process has read what arrived. After a standstill, Node runs timers first, and
   * reads what arrived meanwhile only after this heartbeat.
   */
  #readUntil(now: number, { length }: readonly OpenInterval[]): number {
    const isLate = length > 0 && now - this.#updatedAt > LATE_HEARTBEATS * this.#timing.heartbeatMs;
    const until = isLate ? this.#updatedAt : now;
    this.#updatedAt = now;
    return until;
  }

  #markOf(intervalId: string): Mark {
    return this.#marks.get(intervalId) ?? NO_MARK;
  }

  async #write(unstored: readonly Unstored[], now: number): Promise<void> {
    const changes = unstored.flatMap((interval) => {
      const { sessionId, intervalId, isWritten } = interval;
      const { at, isUnknown } = this.#markOf(intervalId);
      const wanted = this.#wantedMark(interval, at < Infinity, now);
      const isSame = wanted === at && !isUnknown;
      return isSame || !isWritten ? [] : { sessionId, intervalId, at: wanted };
    });
    if (changes.length === 0) return;
    const rows = changes.map(({ at, ...key }) => {
      return { ...key, unsureFrom: at === Infinity ? null : new Date(at).toISOString() };
    });
    const written = await this.#queries.updateUnsure(rows).catch(() => undefined);
    for (const { intervalId, at } of changes) {
      if (!written) this.#marks.set(intervalId, { at, isUnknown: true });
      else if (written.includes(intervalId)) this.#marks.set(intervalId, { at, isUnknown: false });
    }
  }

  #wantedMark(
    { undecidedSince, since, isAlone }: Unstored,
    isMarked: boolean,
    now: number,
  ): number {
    const isOld = (at: number) => now - at >= this.#timing.holdBackMs;
    const isPassed = since < this.#flushedAt;
    const stays = isMarked && (isPassed || isOld(since) || undecidedSince < Infinity);
    return stays || isOld(undecidedSince) || (isAlone && isOld(since)) ? since : Infinity;
  }
}
