import type { RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { Timing } from '../timing.ts';
import { oldestOf } from './unstored-words.ts';

const MAX_KEPT = 100;

interface KeptTranscript {
  readonly message: RoomMessage;
  readonly end: AbortController;
  /** When the oldest word was received that is not stored, in milliseconds since the epoch. Undefined: all are stored. */
  readonly since: number | undefined;
}

/**
 * Keeps the newest interim transcript under each message id of a session, until the final transcript is stored instead.
 * Stores it as pending when its sender leaves or sends nothing for `interimMs`, and every `checkpointMs` before that.
 */
export class InterimTranscripts {
  readonly #timing: Pick<Timing, 'checkpointMs' | 'interimMs'>;
  readonly #store: (message: RoomMessage, since: number) => void;
  /** By message id, the least recently replaced first. */
  readonly #kept = new Map<string, KeptTranscript>();

  /** `store` is called with each message to store, and with the time at which its oldest unstored word was received. */
  constructor(
    timing: Pick<Timing, 'checkpointMs' | 'interimMs'>,
    store: (message: RoomMessage, since: number) => void,
  ) {
    this.#timing = timing;
    this.#store = store;
  }

  /** Milliseconds since the epoch: when the oldest word was received that is not stored. */
  get oldestAt(): number | undefined {
    return oldestOf(...Array.from(this.#kept.values(), ({ since }) => since));
  }

  /**
   * Keeps an interim transcript in place of the one before. Its first word was received at `since`. When too many are kept,
   * the oldest is stored early.
   */
  keep(message: RoomMessage, since = message.receivedAt): void {
    const oldestAt = oldestOf(this.drop(message.id), since);
    const end = new AbortController();
    this.#kept.set(message.id, { message, end, since: oldestAt });
    void this.#expire(message, oldestAt ?? since, end.signal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#storeNow(oldest);
  }

  /** Returns the kept interim transcript of that message id, or undefined. */
  find(id: string): RoomMessage | undefined {
    return this.#kept.get(id)?.message;
  }

  /**
   * Forgets the interim transcript of that message id: a better text is stored. Returns when its oldest word was received
   * that is not stored.
   */
  drop(id: string): number | undefined {
    const kept = this.#kept.get(id);
    kept?.end.abort();
    this.#kept.delete(id);
    return kept?.since;
  }

  /** Stores the kept interim transcripts of a sender now; without an identity, those of all senders. */
  storeAll(identity?: string): void {
    for (const [id, { message }] of this.#kept) {
      const sender = message.metadata.participant?.identity;
      if (identity === undefined || identity === sender) this.#storeNow(id);
    }
  }

  /** Stores the transcript when its oldest word is old, and forgets it when no newer one comes. */
  async #expire({ id, receivedAt }: RoomMessage, since: number, end: AbortSignal): Promise<void> {
    const { checkpointMs, interimMs } = this.#timing;
    const saveInMs = Math.min(interimMs, Math.max(0, since + checkpointMs - receivedAt));
    if (!(await pause(saveInMs, end))) return;
    this.#save(id);
    if (await pause(interimMs - saveInMs, end)) this.drop(id);
  }

  #save(id: string): void {
    const kept = this.#kept.get(id);
    if (kept?.since === undefined) return;
    this.#kept.set(id, { ...kept, since: undefined });
    this.#store(kept.message, kept.since);
  }

  #storeNow(id: string): void {
    this.#save(id);
    this.drop(id);
  }
}
