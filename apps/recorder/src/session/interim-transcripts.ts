import type { RoomMessage } from '@session/contract/room';
import { pause } from '@session/kit';
import type { Timing } from '../timing.ts';

const MAX_KEPT = 100;

interface KeptTranscript {
  readonly message: RoomMessage;
  readonly end: AbortController;
  readonly since: number;
}

/**
 * Keeps the newest interim transcript of each sender and message until the final one is stored. Stores it as pending when its
 * sender leaves or sends nothing for `interimMs`, every `checkpointMs`, and when too many are kept.
 */
export class InterimTranscripts {
  readonly #timing: Timing;
  readonly #store: (message: RoomMessage, since: number) => void;
  readonly #kept = new Map<string, KeptTranscript>();

  constructor(timing: Timing, store: (message: RoomMessage, since: number) => void) {
    this.#timing = timing;
    this.#store = store;
  }

  get unstoredSince(): number {
    return Math.min(...Array.from(this.#kept.values(), ({ since }) => since));
  }

  keep(message: RoomMessage, wordsSince = message.receivedAt): void {
    const since = Math.min(this.drop(message), wordsSince);
    const end = new AbortController();
    this.#kept.set(keyOf(message), { message, end, since });
    void this.#expire(message, since, end.signal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#storeNow(oldest);
  }

  find(message: RoomMessage): RoomMessage | undefined {
    return this.#kept.get(keyOf(message))?.message;
  }

  /** Drops a transcript because a better text is stored. Returns since when its words are not stored. */
  drop(message: RoomMessage): number {
    return this.#drop(keyOf(message));
  }

  storeAll(identity?: string): void {
    for (const [key, { message }] of this.#kept) {
      const sender = message.metadata.participant?.identity;
      if (identity === undefined || identity === sender) this.#storeNow(key);
    }
  }

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

function keyOf({ id, metadata }: RoomMessage): string {
  return `${metadata.participant?.identity ?? ''}/${id}`;
}
