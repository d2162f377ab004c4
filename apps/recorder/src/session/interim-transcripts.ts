import type { RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';

const MAX_KEPT = 100;

interface KeptTranscript {
  readonly message: RoomMessage;
  readonly end: AbortController;
}

/**
 * Keeps the newest interim transcript under each message id of a session, until the final transcript is stored instead.
 * Stores it as pending when its sender leaves or sends nothing for `interimMs`.
 */
export class InterimTranscripts {
  readonly #interimMs: number;
  readonly #store: (message: RoomMessage) => void;
  /** By message id, the least recently replaced first. */
  readonly #kept = new Map<string, KeptTranscript>();

  constructor(interimMs: number, store: (message: RoomMessage) => void) {
    this.#interimMs = interimMs;
    this.#store = store;
  }

  /** Keeps an interim transcript in place of the one before. When too many are kept, the oldest is stored early. */
  keep(message: RoomMessage): void {
    this.drop(message.id);
    const end = new AbortController();
    this.#kept.set(message.id, { message, end });
    void this.#expire(message.id, end.signal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#storeNow(oldest);
  }

  /** Returns the kept interim transcript of that message id, or undefined. */
  find(id: string): RoomMessage | undefined {
    return this.#kept.get(id)?.message;
  }

  /** Forgets the interim transcript of that message id: a better text is stored. */
  drop(id: string): void {
    this.#kept.get(id)?.end.abort();
    this.#kept.delete(id);
  }

  /** Stores the kept interim transcripts of a sender now; without an identity, those of all senders. */
  storeAll(identity?: string): void {
    for (const [id, { message }] of this.#kept) {
      const sender = message.metadata.participant?.identity;
      if (identity === undefined || identity === sender) this.#storeNow(id);
    }
  }

  async #expire(id: string, signal: AbortSignal): Promise<void> {
    if (await pause(this.#interimMs, signal)) this.#storeNow(id);
  }

  #storeNow(id: string): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.drop(id);
    this.#store(kept.message);
  }
}
