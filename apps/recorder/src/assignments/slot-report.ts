import type {
  AssignmentStatus,
  RecordingAssignmentQueries,
  RecordingIntervalQueries,
  SlotKey,
} from '@session/db';
import { v7 as uuidv7 } from 'uuid';

/** How a slot stands, as the database is to know it. */
export interface SlotState {
  readonly status: Exclude<AssignmentStatus, 'lost'>;
  /** ISO 8601. */
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

export type SlotQueries = Pick<
  RecordingAssignmentQueries & RecordingIntervalQueries,
  'closeInterval' | 'insertInterval' | 'insertUnheard' | 'updateAssignment'
>;

/**
 * What the database is told of one slot: how it stands, and the intervals in which its room was heard. All of it is kept
 * until the database has taken it.
 */
export class SlotReport {
  readonly #queries: SlotQueries;
  readonly #unwritten: (() => Promise<void>)[] = [];
  #key: SlotKey;
  #state: SlotState | undefined;
  #interval: { readonly id: string; readonly from: number } | undefined;

  constructor(queries: SlotQueries, key: SlotKey) {
    this.#queries = queries;
    this.#key = key;
  }

  get key(): SlotKey {
    return this.#key;
  }

  /** Since when the room is heard, in milliseconds since the epoch; undefined when it is not. */
  get heardSince(): number | undefined {
    return this.#interval?.from;
  }

  /** The slot is ours under this epoch: whatever is written from now on bears it. */
  renew(epoch: number): void {
    this.#key = { ...this.#key, epoch };
  }

  setState(state: SlotState): void {
    this.#state = state;
  }

  /**
   * Somebody was in the room at `from` (milliseconds since the epoch), before it was heard. If nobody has ever heard it,
   * that is where its first gap begins: an interval of no length says so.
   */
  beginUnheard(from: number): void {
    const { sessionId, recorderId } = this.#key;
    const id = uuidv7();
    const at = new Date(from).toISOString();
    this.#unwritten.push(() => this.#queries.insertUnheard({ sessionId, id, recorderId, at }));
  }

  /** The room is heard from `from` on (milliseconds since the epoch). */
  beginInterval(from: number): void {
    const interval = { id: uuidv7(), from };
    this.#interval = interval;
    const { sessionId, recorderId } = this.#key;
    const fromAt = new Date(from).toISOString();
    this.#unwritten.push(() =>
      this.#queries.insertInterval({ sessionId, id: interval.id, recorderId, fromAt }),
    );
  }

  /** It was heard until `to`, or, if that is earlier, until it began to be heard; for `endReason` no longer. */
  endInterval(to: number, endReason: string): void {
    const interval = this.#interval;
    if (!interval) return;
    this.#interval = undefined;
    const { sessionId } = this.#key;
    const toAt = new Date(to).toISOString();
    this.#unwritten.push(() =>
      this.#queries.closeInterval({ sessionId, id: interval.id, toAt, endReason }),
    );
  }

  /** Writes what is not written yet; not to be called again before it has ended. Throws when the database is away. */
  async write(): Promise<void> {
    for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
      await next();
      this.#unwritten.shift();
    }
    const state = this.#state;
    if (!state) return;
    await this.#queries.updateAssignment(this.#key, state);
    if (this.#state === state) this.#state = undefined;
  }
}
