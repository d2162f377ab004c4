import { type RoomMessage, recordingGap } from '@session/contract/room';
import type { RecordingIntervalQueries } from '@session/db';

interface GapDeps {
  readonly queries: Pick<RecordingIntervalQueries, 'listGaps'>;
  /** Takes a message to store it. */
  readonly push: (message: RoomMessage) => void;
}

/**
 * Tells the history of the gaps that the intervals of a session leave, when they are over. Whichever recorders do, and
 * however often, a gap is one message: its id is derived from where it begins.
 */
export class GapReport {
  readonly #deps: GapDeps;
  readonly #due = new Set<string>();
  /** The ids of what was told already, by session. */
  readonly #told = new Map<string, Set<string>>();

  constructor(deps: GapDeps) {
    this.#deps = deps;
  }

  /** What was heard of a session when is not as it was: `write` looks at it again. */
  add(sessionId: string): void {
    this.#due.add(sessionId);
  }

  /** Looks at all sessions that were added, and has each new gap stored. Throws when the database is away. */
  async write(): Promise<void> {
    if (this.#due.size === 0) return;
    const due = [...this.#due];
    const gaps = await this.#deps.queries.listGaps(due);
    for (const sessionId of due) this.#due.delete(sessionId);
    for (const gap of gaps) {
      const message = recordingGap(gap, Date.now());
      const told = this.#told.get(gap.sessionId) ?? new Set();
      if (told.has(message.id)) continue;
      this.#told.set(gap.sessionId, told.add(message.id));
      this.#deps.push(message);
    }
  }

  /** Forgets what was told of a session that is not ours any more. */
  forget(sessionId: string): void {
    this.#told.delete(sessionId);
  }
}
