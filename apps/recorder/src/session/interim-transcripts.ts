import type { RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { Timing } from '../timing.ts';

const MAX_KEPT = 100;

interface KeptTranscript {
  readonly message: RoomMessage;
  readonly end: AbortController;
  /** When the oldest word was received that is not stored, in milliseconds since the epoch. Infinity: all are stored. */
  readonly since: number;
}

/**
 * Keeps the newest interim transcript of each sender under each message id of a session, until the final transcript is stored
 * instead. Stores it as pending when its sender leaves or sends nothing for `interimMs`, and every `checkpointMs` before
 * that.
 */
export class InterimTranscripts {
  readonly #timing: Pick<Timing, 'checkpointMs' | 'interimMs'>;
  readonly #store: (message: RoomMessage, since: number) => void;
  /** By sender and message id, the least recently replaced first. */
  readonly #kept = new Map<string, KeptTranscript>();

  /** `store` is called with each message to store, and with the time at which its oldest unstored word was received. */
  constructor(
    timing: Pick<Timing, 'checkpointMs' | 'interimMs'>,
    store: (message: RoomMessage, since: number) => void,
  ) {
    this.#timing = timing;
    this.#store = store;
  }

  /** Milliseconds since the epoch: when the oldest word was received that is not stored. Infinity: all are stored. */
  get unstoredSince(): number {
    return Math.min(...Array.from(this.#kept.values(), ({ since }) => since));
  }

  /**
   * Keeps an interim transcript in place of the one before. Its first word was received at `wordsSince`. When too many are
   * kept, the oldest is stored early.
   */
  keep(message: RoomMessage, wordsSince = message.receivedAt): void {
    const since = Math.min(this.drop(message), wordsSince);
    const end = new AbortController();
    this.#kept.set(keyOf(message), { message, end, since });
    void this.#expire(message, since, end.signal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#storeNow(oldest);
  }

  /** Returns the kept interim transcript of a message, or undefined. */
  find(message: RoomMessage): RoomMessage | undefined {
    return this.#kept.get(keyOf(message))?.message;
  }

  /**
   * Forgets the interim transcript of a message: a better text is stored. Returns when its oldest word was received that is
   * not stored; Infinity if there is none.
   */
  drop(message: RoomMessage): number {
    return this.#drop(keyOf(message));
  }

  /** Stores the kept interim transcripts of a sender now; without an identity, those of all senders. */
  storeAll(identity?: string): void {
    for (const [key, { message }] of this.#kept) {
      const sender = message.metadata.participant?.identity;
      if (identity === undefined || identity === sender) this.#storeNow(key);
    }
  }

  /** Stores the transcript when its oldest word is old, and forgets it when no newer one comes. */
  async #expire(message: RoomMessage, since: number, end: AbortSignal): Promise<void> {
    const { checkpointMs, interimMs } = this.#timing;
    const saveInMs = Math.min(interimMs, Math.max(0, since + checkpointMs - message.receivedAt));
    if (!(await pause(saveInMs, end))) return;
    const key = keyOf(message);
    this.#save(key);
    if (await pause(interimMs - saveInMs, end)) this.#drop(key);
  }

  #save(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept || kept.since === Infinity) return;
    this.#kept.set(key, { ...kept, since: Infinity });
    this.#store(kept.message, kept.since);
  }

  #drop(key: string): number {
    const kept = this.#kept.get(key);
    kept?.end.abort();
    this.#kept.delete(key);
    return kept?.since ?? Infinity;
  }

  #storeNow(key: string): void {
    this.#save(key);
    this.#drop(key);
  }
}

/** Two senders may use the same message id. */
function keyOf({ id, metadata }: RoomMessage): string {
  return `${metadata.participant?.identity ?? ''}/${id}`;
}
