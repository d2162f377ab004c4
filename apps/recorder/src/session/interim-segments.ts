import type { RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';

const MAX_SEGMENTS = 100;

interface Segment {
  readonly message: RoomMessage;
  readonly end: AbortController;
}

/**
 * The newest version of each utterance in a session that is not final yet. It goes into the history, as pending, only if
 * no better version comes: because its speaker leaves, or falls silent for `interimMs`.
 */
export class InterimSegments {
  readonly #interimMs: number;
  readonly #store: (message: RoomMessage) => void;
  /** By message id, the longest unchanged first. */
  readonly #segments = new Map<string, Segment>();

  constructor(interimMs: number, store: (message: RoomMessage) => void) {
    this.#interimMs = interimMs;
    this.#store = store;
  }

  /** Keeps a version in place of the one before. When too many utterances are kept, the oldest is stored early. */
  keep(message: RoomMessage): void {
    this.drop(message.id);
    const end = new AbortController();
    this.#segments.set(message.id, { message, end });
    void this.#expire(message.id, end.signal);
    const [oldest] = this.#segments.keys();
    if (this.#segments.size > MAX_SEGMENTS && oldest !== undefined) this.#storeNow(oldest);
  }

  /** Returns the kept version of an utterance, or undefined. */
  find(id: string): RoomMessage | undefined {
    return this.#segments.get(id)?.message;
  }

  /** Forgets an utterance: the message of that id is in the history in a better version. */
  drop(id: string): void {
    this.#segments.get(id)?.end.abort();
    this.#segments.delete(id);
  }

  /** Stores the unfinished utterances of a participant; without an identity, those of all participants. */
  storeUnfinished(identity?: string): void {
    for (const [id, { message }] of this.#segments) {
      const speaker = message.metadata.participant?.identity;
      if (identity === undefined || identity === speaker) this.#storeNow(id);
    }
  }

  async #expire(id: string, signal: AbortSignal): Promise<void> {
    if (await pause(this.#interimMs, signal)) this.#storeNow(id);
  }

  #storeNow(id: string): void {
    const segment = this.#segments.get(id);
    if (!segment) return;
    this.drop(id);
    this.#store(segment.message);
  }
}
