import { type ForgottenScope, isForgotten } from '@session/db';
import type { PendingSession } from '../message-path.ts';
import type { RecorderLog } from '../process/log.ts';
import type { RecorderQueries } from '../queries.ts';
import { isLost } from './queued-message.ts';
import type { RejectedFile } from './rejected/rejected-file.ts';

export interface ForgettingDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'acknowledgeErasures' | 'listErasuresForRecorder'>;
  readonly writer: {
    readonly waiting: ReadonlyMap<string, PendingSession>;
    readonly settledSince: number;
  };
  readonly rejected: Pick<RejectedFile, 'forget'>;
  readonly slots: {
    /** When the oldest message that is kept as a standby was received. Null asks about all sessions. */
    keptSince(sessionId: string | null): number;
    undecidedSince(sessionId: string | null): number;
  };
  readonly log: RecorderLog;
}

/**
 * Acknowledges erasures once this recorder holds none of the erased messages. Messages that wait to be stored need no
 * deletion, because the history refuses erased messages. Lines of rejected messages are removed.
 */
export class Forgetting {
  readonly #deps: ForgettingDeps;
  #looking: Promise<void> | undefined;

  constructor(deps: ForgettingDeps) {
    this.#deps = deps;
  }

  async look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((err: unknown) => {
        this.#deps.log.warn({ err }, 'acknowledging erasures failed, retrying');
      })
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { recorderId, queries, rejected, log } = this.#deps;
    const asked = await queries.listErasuresForRecorder(recorderId);
    const free = asked.filter((erasure) => !this.#holds(erasure));
    if (free.length === 0) return;
    const isKept = await rejected.forget(
      (queued) => !isLost(queued) && free.some((erasure) => isForgotten(erasure, queued)),
    );
    if (isKept) return;
    const ids = free.map(({ id }) => id);
    await queries.acknowledgeErasures(recorderId, ids);
    log.info({ erasures: ids }, 'erasures acknowledged');
  }

  #holds({ sessionId, requestedAt }: ForgottenScope): boolean {
    const { writer, slots } = this.#deps;
    const heldSince = Math.min(
      writer.settledSince,
      slots.keptSince(sessionId),
      slots.undecidedSince(sessionId),
    );
    if (heldSince <= requestedAt) return true;
    const waiting =
      sessionId === null ? [...writer.waiting.values()] : [writer.waiting.get(sessionId)];
    return waiting.some((session) => session !== undefined && session.since <= requestedAt);
  }
}
