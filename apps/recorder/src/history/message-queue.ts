import type { RoomMessage } from '@session/contract/room';
import { type Entry, isLoss, oldestOf } from './queued-message.ts';
import { greatestKey, type Item, shedOldest } from './shed.ts';

/** How much may wait in memory: it fills only while neither the database nor the disk takes anything. */
export const QUEUE_BYTES = 128 * 1024 * 1024;

/** The share of the limit that goes when it is passed: going through all for each message more would cost too much. */
const SHED_SHARE = 0.1;

interface Waiting extends Item {
  readonly entry: Entry;
}

/**
 * The messages of all sessions that wait to be stored, in the order of their arrival. It is bounded: past the limit the
 * oldest of the session with the most are dropped, so that one noisy room cannot cost another its history.
 */
export class MessageQueue {
  readonly #limitBytes: number;
  readonly #shed: (sessionId: string, count: number) => void;
  #waiting: Waiting[] = [];
  /** How large the messages of each session are together. */
  readonly #bySession = new Map<string, number>();
  #sizeBytes = 0;

  /** `shed` is told of what is dropped: a loss stands in its place. */
  constructor(limitBytes: number, shed: (sessionId: string, count: number) => void) {
    this.#limitBytes = limitBytes;
    this.#shed = shed;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Milliseconds since the epoch: when the one was received that has waited longest, wherever it stands. */
  get oldestAt(): number | undefined {
    return oldestOf(this.#waiting.map(({ entry }) => entry));
  }

  has(sessionId: string): boolean {
    return this.#waiting.some(({ entry }) => entry.sessionId === sessionId);
  }

  push(message: RoomMessage): void {
    const waiting = waitingOf(message);
    this.#waiting.push(waiting);
    this.#count(waiting, 1);
    if (this.#sizeBytes > this.#limitBytes) this.#shedSome();
  }

  /** Takes the first out of the queue: at most `count`, and no more than `bytes` together, but one at least. */
  take(count: number, bytes: number): Entry[] {
    let sum = 0;
    const end = this.#waiting.findIndex(({ sizeBytes }, index) => {
      sum += sizeBytes;
      return index === count || (index > 0 && sum > bytes);
    });
    const taken = this.#waiting.splice(0, end < 0 ? count : end);
    for (const waiting of taken) this.#count(waiting, -1);
    return taken.map(({ entry }) => entry);
  }

  /** Puts what was taken before all others again. */
  putBack(entries: readonly Entry[]): void {
    const waiting = entries.map(waitingOf);
    this.#waiting.unshift(...waiting);
    for (const one of waiting) this.#count(one, 1);
  }

  #shedSome(): void {
    for (;;) {
      const bytes = this.#sizeBytes - this.#limitBytes * (1 - SHED_SHARE);
      const sessionId = greatestKey(this.#bySession);
      if (bytes <= 0 || sessionId === undefined) return;
      const before = this.#waiting;
      const { kept, count } = shedOldest(before, { sessionId, bytes }, waitingOf);
      for (const waiting of before) this.#count(waiting, -1);
      for (const waiting of kept) this.#count(waiting, 1);
      this.#waiting = kept;
      this.#shed(sessionId, count);
    }
  }

  #count({ entry, sizeBytes }: Waiting, sign: 1 | -1): void {
    this.#sizeBytes += sign * sizeBytes;
    if (isLoss(entry)) return;
    const { sessionId } = entry;
    const size = (this.#bySession.get(sessionId) ?? 0) + sign * sizeBytes;
    if (size === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, size);
  }
}

/** With about what it takes in memory: only an agent's event carries more than its content. */
function waitingOf(entry: Entry): Waiting {
  // There is one a session at most, or few.
  if (isLoss(entry)) return { entry, sizeBytes: 0 };
  const { payload } = entry.metadata;
  const carried = payload === undefined ? 0 : JSON.stringify(payload).length;
  return { entry, sizeBytes: 500 + 2 * (entry.content.length + carried) };
}
