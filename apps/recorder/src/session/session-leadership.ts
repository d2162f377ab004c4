import type { MessageWithoutRawId } from '@session/db';
import type { MessageReceiver, StorableMessage } from '../message-path.ts';
import { CLOCK_SKEW_MS } from '../timing.ts';
import { KeptMessages, type KeptRoom } from './kept-messages.ts';
import { type LeadershipState, mayBecome } from './leadership-state.ts';
import { findMissing, KEPT_MS } from './missing-messages.ts';

/** More connections than a recorder makes while it keeps a message, unless the database is away. */
const MAX_BEGINS = 10;

interface LeadershipDeps {
  readonly writer: MessageReceiver;
  readonly keptRoom: KeptRoom;
  readonly listStored: (after: string) => Promise<readonly MessageWithoutRawId[]>;
  /** Kept messages of this time were dropped: this recorder does not count as covering it. */
  readonly dropped: (from: number, to: number) => void;
  readonly changed: () => void;
}

export interface LeaderProgress {
  readonly flushedAt: number;
  readonly standbyAt: number | null;
}

export class SessionLeadership implements MessageReceiver {
  readonly #deps: LeadershipDeps;
  #state: LeadershipState = 'standby';
  readonly #kept: KeptMessages;
  /** The interval for which this recorder leads, or last led. Kept messages get it when they are stored. */
  #intervalId: string | undefined;
  #connectedAt = Number.POSITIVE_INFINITY;
  /** When each of the newest connections began. */
  #begins: readonly number[] = [];
  /** When each of the newest messages that this recorder stored as the leader was received, by id. */
  readonly #led = new Map<string, number>();
  #catchingUp = new AbortController();
  #takingOver = new AbortController();

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    this.#kept = new KeptMessages(deps.keptRoom, deps.dropped);
  }

  get state(): LeadershipState {
    return this.#state;
  }

  get isCatchingUp(): boolean {
    return !this.#catchingUp.signal.aborted;
  }

  get oldestKeptAt(): number {
    return this.#kept.oldestAt;
  }

  push(message: StorableMessage): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'leading' && this.#intervalId !== undefined) {
      this.#noteLed(message);
      this.#deps.writer.push({ ...message, intervalId: this.#intervalId });
      return;
    }
    this.#kept.push(message);
  }

  /**
   * Returns a signal: events must be held back until it aborts. Returns undefined after a seamless reconnect. Nothing that
   * was sent before `beganAt` comes through this connection.
   */
  connected(at: number, isSeamless: boolean, beganAt: number): AbortSignal | undefined {
    this.#connectedAt = at;
    if (this.#begins.at(-1) !== beganAt) {
      this.#begins = [...this.#begins, beganAt].slice(-MAX_BEGINS);
    }
    if (isSeamless) return undefined;
    this.#catchingUp.abort();
    this.#catchingUp = new AbortController();
    return this.#catchingUp.signal;
  }

  standBy(): void {
    this.#takingOver.abort();
    if (this.#state === 'leading') this.#set('standby');
  }

  /** Notes the leader's progress. Null: this recorder leads, once it has caught up. Throws when the database is away. */
  async follow(intervalId: string, leader: LeaderProgress | null): Promise<void> {
    if (this.#state === 'ended') return;
    if (leader) this.#dropStored(leader);
    if (this.isCatchingUp) {
      if (leader && leader.flushedAt < this.#connectedAt + CLOCK_SKEW_MS) return;
      this.#catchingUp.abort();
      // The events that were held back are decided now, and the next round finds out which of them are stored.
      this.#deps.changed();
    } else if (!leader) await this.#lead(intervalId);
  }

  end(): number {
    const { oldestKeptAt } = this;
    this.#takingOver.abort();
    this.#kept.take();
    this.#set('ended');
    return oldestKeptAt;
  }

  #dropStored({ flushedAt, standbyAt }: LeaderProgress): void {
    this.standBy();
    // A new leader may still hold unstored messages, and may die before storing them.
    this.#kept.forgetBefore(Math.min(flushedAt, standbyAt ?? flushedAt) - KEPT_MS);
  }

  async #lead(intervalId: string): Promise<void> {
    if (this.#state === 'leading' && this.#intervalId === intervalId) return;
    this.standBy();
    const takingOver = new AbortController();
    this.#takingOver = takingOver;
    const { oldestKeptAt } = this;
    const stored =
      oldestKeptAt === Infinity
        ? []
        : await this.#deps.listStored(new Date(oldestKeptAt - KEPT_MS).toISOString());
    // The interval may have ended meanwhile.
    if (takingOver.signal.aborted) return;
    this.#intervalId = intervalId;
    this.#set('leading');
    // This recorder keeps no copy of what it stored itself, so those rows would stand for other words.
    const ofOthers = stored.filter(({ id }) => !this.#led.has(id));
    const rowsAfter = (receivedAt: number) => this.#rowsAfter(receivedAt);
    const missing = findMissing(this.#kept.take(), ofOthers, Infinity, rowsAfter);
    for (const message of missing) this.push(message);
  }

  /**
   * Returns the time up to which no row stands for a message that was received at `receivedAt`. Words may repeat what was
   * said before the connection that received them.
   */
  #rowsAfter(receivedAt: number): number {
    const beganAt = this.#begins.findLast((at) => at <= receivedAt) ?? Number.NEGATIVE_INFINITY;
    return beganAt - CLOCK_SKEW_MS;
  }

  #noteLed({ id, receivedAt }: StorableMessage): void {
    for (const [oldId, oldAt] of this.#led) {
      if (oldAt >= receivedAt - 2 * KEPT_MS) break;
      this.#led.delete(oldId);
    }
    this.#led.set(id, receivedAt);
  }

  #set(state: LeadershipState): void {
    if (!mayBecome(this.#state, state)) throw new Error(`no step from ${this.#state} to ${state}`);
    this.#state = state;
  }
}
