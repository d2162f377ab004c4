import type { RecorderQueries } from '@session/db';
import { pause, withDeadline } from '@session/kit';
import type { Timing } from '../timing.ts';

/** How long a recorder that ends waits for its last heartbeat. If it fails, the other recorders notice the end later. */
const LAST_HEARTBEAT_MS = 1000;

/** What a recorder reports of itself. */
interface RecorderState {
  readonly load: number;
  readonly isDraining: boolean;
  /** ISO 8601: everything that the recorder received before is stored. */
  readonly flushedAt: string;
  /** ISO 8601: the receipt time of the oldest message that the recorder keeps for another recorder to store. */
  readonly standbyAt: string | null;
}

interface HeartbeatDeps {
  readonly recorderId: string;
  readonly recorderEpoch: number;
  readonly queries: Pick<RecorderQueries, 'updateHeartbeat' | 'wakeRecorders'>;
  readonly timing: Pick<Timing, 'heartbeatMs'>;
  readonly state: () => RecorderState;
  /** Another process has started as this recorder; called once. */
  readonly replaced: () => void;
}

/**
 * Reports regularly that this recorder is alive. It runs beside the rounds of the slot keeper: however long a round takes,
 * a living recorder must not look dead, nor its stored messages look lost.
 */
export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #isReplaced = false;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  /** Sends a heartbeat now. Throws when the database is away. */
  async beat(): Promise<void> {
    const { recorderId: id, recorderEpoch: epoch, queries, state, replaced } = this.#deps;
    if (this.#isReplaced || (await queries.updateHeartbeat({ id, epoch, ...state() }))) return;
    this.#isReplaced = true;
    replaced();
  }

  /** Sends the last heartbeat, and wakes the other recorders. A database that is away does not hold this up for long. */
  async end(): Promise<void> {
    this.#ending.abort();
    await withDeadline(this.#last(), LAST_HEARTBEAT_MS).catch(() => {});
  }

  async #last(): Promise<void> {
    await this.#running;
    await this.beat();
    // Recorders that waited for this one to store its messages need not wait any more.
    await this.#deps.queries.wakeRecorders();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    // The rounds report a database that is away.
    do await this.beat().catch(() => {});
    while (!this.#isReplaced && (await pause(this.#deps.timing.heartbeatMs, signal)));
  }
}
