import type { RecorderQueries } from '@session/db';
import { pause, withDeadline } from '@session/kit';
import type { Timing } from '../timing.ts';

/** How long a recorder that ends waits for the database to hear of it: the others find out without it, only later. */
const LAST_MS = 1000;

/** What a recorder says of itself. */
interface RecorderState {
  readonly load: number;
  readonly isDraining: boolean;
  /** ISO 8601: all that it received before this is stored. */
  readonly flushedAt: string;
  /** ISO 8601: when the oldest message was received that it keeps for another to store. */
  readonly standbyAt: string | null;
}

interface HeartbeatDeps {
  readonly recorderId: string;
  readonly epoch: number;
  readonly queries: Pick<RecorderQueries, 'updateHeartbeat' | 'wakeRecorders'>;
  readonly timing: Pick<Timing, 'heartbeatMs'>;
  readonly state: () => RecorderState;
  /** Another process has started as this recorder; called once. */
  readonly replaced: () => void;
}

/**
 * Says again and again that this recorder lives. On its own, beside the rounds: where a round takes long, neither is a
 * living recorder to look dead, nor what it has stored to look lost.
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

  /** Says it now. Throws when the database is away. */
  async beat(): Promise<void> {
    const { recorderId: id, epoch, queries, state, replaced } = this.#deps;
    if (this.#isReplaced || (await queries.updateHeartbeat({ id, epoch, ...state() }))) return;
    this.#isReplaced = true;
    replaced();
  }

  /** Says it a last time, now, to a database that may be away, and to the others. */
  async end(): Promise<void> {
    this.#ending.abort();
    await withDeadline(this.#last(), LAST_MS).catch(() => {});
  }

  async #last(): Promise<void> {
    await this.#running;
    await this.beat();
    // Whoever has waited for us to store what is ours need not wait any more.
    await this.#deps.queries.wakeRecorders();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    // A database that is away is the rounds' to tell of.
    do await this.beat().catch(() => {});
    while (!this.#isReplaced && (await pause(this.#deps.timing.heartbeatMs, signal)));
  }
}
