import type { RecordingIntervalQueries, UnsureMark } from '@session/db';
import type { PendingSince } from '../message-path.ts';
import { oldestOf } from '../session/unstored-words.ts';

interface MarksDeps {
  readonly queries: Pick<RecordingIntervalQueries, 'updateUnsure'>;
  /** How long words in memory hold back the time until which everything is stored. Older words are marked instead. */
  readonly holdBackMs: number;
}

/** The open interval of a session, and since when words of the session are not stored. */
export interface UnsureInterval {
  readonly sessionId: string;
  readonly intervalId: string;
  /** When the interval begins. */
  readonly from: number;
  /** Whether the database knows the interval. */
  readonly isWritten: boolean;
  /** The receipt time of the oldest message in the history writer, but for those in other sessions' lanes. */
  readonly writerOldestAt: number | undefined;
  /** The receipt time of the oldest word that is in memory only, or in the session's lane. */
  readonly unstoredSince: number | undefined;
}

/** What the recorder knows at one moment. */
export interface StoredProgress {
  readonly now: number;
  readonly pendingSince: PendingSince;
  readonly intervals: readonly UnsureInterval[];
}

interface Mark {
  readonly at: number;
  /** Whether an answer was lost: the database has this mark, or the one that was to be written last. */
  readonly isUnknown: boolean;
  /** Since when no word in memory is as old as the mark. Such words may still wait in the history writer. */
  releasedAt?: number;
}

/**
 * Marks the intervals of sessions that have old words in memory, such as the beginning of a long text stream, or in a lane.
 * If the recorder dies, a marked interval ends at its mark. So one long stream, or one locked session, does not hold back the
 * time until which everything is stored: the recorders of all other sessions wait for it. Times are milliseconds since the
 * epoch.
 */
export class UnsureMarks {
  readonly #deps: MarksDeps;
  /** By interval: what the database has. */
  #marks = new Map<string, Mark>();

  constructor(deps: MarksDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the marks that changed. Returns the time until which everything is stored or marked. Must not be called again
   * before it has ended.
   */
  async update(progress: StoredProgress): Promise<number> {
    const { now, intervals, pendingSince } = progress;
    const current = new Map(intervals.map((interval) => [interval.intervalId, interval]));
    this.#marks = new Map([...this.#marks].filter(([id]) => current.has(id)));
    const changes = intervals.flatMap((interval) => this.#changeOf(interval, now) ?? []);
    await this.#write(changes);
    // A word that is not marked holds everything back.
    const unmarked = intervals.flatMap(({ intervalId, unstoredSince }) => {
      if (unstoredSince === undefined) return [];
      const mark = this.#marks.get(intervalId);
      return mark && !mark.isUnknown && mark.at <= unstoredSince ? [] : unstoredSince;
    });
    const begins = new Map(intervals.map(({ sessionId, from }) => [sessionId, from]));
    // The mark of an open interval stands for a lane. The messages of an earlier interval have no mark.
    const inOtherLanes = [...pendingSince.inLanes].flatMap(([sessionId, at]) =>
      (begins.get(sessionId) ?? Number.POSITIVE_INFINITY) <= at ? [] : at,
    );
    return oldestOf(pendingSince.oldestAt, ...unmarked, ...inOtherLanes) ?? now;
  }

  /** Returns the mark to write for an interval; undefined when it may stay as it is. */
  #changeOf(interval: UnsureInterval, now: number): UnsureMark | undefined {
    const { sessionId, intervalId, isWritten, writerOldestAt, unstoredSince } = interval;
    if (!isWritten) return undefined;
    const mark = this.#marks.get(intervalId);
    const markAt = (at: number | undefined) => {
      const unsureFrom = at === undefined ? null : new Date(at).toISOString();
      return { sessionId, intervalId, unsureFrom };
    };
    const same = mark?.isUnknown ? markAt(mark.at) : undefined;
    if (!mark || (unstoredSince !== undefined && unstoredSince < mark.at)) {
      const isOld = unstoredSince !== undefined && now - unstoredSince >= this.#deps.holdBackMs;
      return isOld ? markAt(unstoredSince) : same;
    }
    if (unstoredSince === mark.at) {
      delete mark.releasedAt;
      return same;
    }
    // The words at the mark have left the memory. The mark moves when the history writer has stored them, too.
    mark.releasedAt ??= now;
    const isStored = writerOldestAt === undefined || writerOldestAt > mark.releasedAt;
    return isStored ? markAt(unstoredSince) : same;
  }

  /** Writes the changes. What was not written is tried again by the next call. */
  async #write(changes: readonly UnsureMark[]): Promise<void> {
    if (changes.length === 0) return;
    const written = await this.#deps.queries.updateUnsure(changes).catch(() => undefined);
    for (const { intervalId, unsureFrom } of changes) {
      if (written?.includes(intervalId)) {
        if (unsureFrom === null) this.#marks.delete(intervalId);
        else this.#marks.set(intervalId, { at: Date.parse(unsureFrom), isUnknown: false });
        continue;
      }
      const mark = this.#marks.get(intervalId);
      const isUnknown = written === undefined;
      // A mark that stays stands for the words that came since, too: `releasedAt` is determined again.
      if (mark)
        this.#marks.set(intervalId, { at: mark.at, isUnknown: mark.isUnknown || isUnknown });
      else if (isUnknown && unsureFrom !== null)
        this.#marks.set(intervalId, { at: Date.parse(unsureFrom), isUnknown });
    }
  }
}
