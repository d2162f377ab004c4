import type { Recordable } from '@session/contract/room';

/** How much may wait while the database is away. */
export interface QueueLimits {
  readonly messages: number;
  readonly bytes: number;
}

export const QUEUE_LIMITS: QueueLimits = { messages: 100_000, bytes: 128 * 1024 * 1024 };

/** The share of a limit that goes when it is passed: going through all for each message more would cost too much. */
const SHED_SHARE = 0.1;

interface Waiting {
  readonly message: Recordable;
  readonly sizeBytes: number;
}

/**
 * The messages of all sessions that wait to be stored, in the order of their arrival. It is bounded: past a limit the
 * oldest of the session with the most are dropped, so that one noisy room cannot cost another its history.
 */
export class MessageQueue {
  readonly #limits: QueueLimits;
  readonly #shed: (sessionId: string, count: number) => void;
  #waiting: Waiting[] = [];
  readonly #bySession = new Map<string, number>();
  #held = 0;
  #sizeBytes = 0;

  /** `shed` is told of what is dropped: this is where it is lost. */
  constructor(limits: QueueLimits, shed: (sessionId: string, count: number) => void) {
    this.#limits = limits;
    this.#shed = shed;
  }

  get length(): number {
    return this.#held;
  }

  /** Milliseconds since the epoch: when the one was received that has waited longest, wherever it stands. */
  get oldestAt(): number | undefined {
    return oldestOf(this.#waiting.map(({ message }) => message));
  }

  has(sessionId: string): boolean {
    return this.#bySession.has(sessionId);
  }

  push(message: Recordable): void {
    const waiting = { message, sizeBytes: sizeOf(message) };
    this.#waiting.push(waiting);
    this.#count(waiting, 1);
    if (this.#isOver(1)) this.#shedSome();
  }

  /** Takes the first out of the queue: at most `count`, and no more than `bytes` together, but one at least. */
  take(count: number, bytes = Number.POSITIVE_INFINITY): Recordable[] {
    let sum = 0;
    const end = this.#waiting.findIndex(({ sizeBytes }, index) => {
      sum += sizeBytes;
      return index === count || (index > 0 && sum > bytes);
    });
    const taken = this.#waiting.splice(0, end < 0 ? count : end);
    for (const waiting of taken) this.#count(waiting, -1);
    return taken.map(({ message }) => message);
  }

  /** Drops the oldest of the noisiest session, and where that is not enough the oldest of all. */
  #shedSome(): void {
    const [noisiest] = [...this.#bySession].toSorted((a, b) => b[1] - a[1])[0] ?? [];
    const dropped = new Map<string, number>();
    const keep = (mayDrop: (sessionId: string) => boolean) => (waiting: Waiting) => {
      const { sessionId } = waiting.message;
      if (!this.#isOver(1 - SHED_SHARE) || !mayDrop(sessionId)) return true;
      this.#count(waiting, -1);
      dropped.set(sessionId, (dropped.get(sessionId) ?? 0) + 1);
      return false;
    };
    this.#waiting = this.#waiting
      .filter(keep((sessionId) => sessionId === noisiest))
      .filter(keep(() => true));
    for (const [sessionId, count] of dropped) this.#shed(sessionId, count);
  }

  #isOver(share: number): boolean {
    const { messages, bytes } = this.#limits;
    return this.#held > messages * share || this.#sizeBytes > bytes * share;
  }

  #count({ message: { sessionId }, sizeBytes }: Waiting, sign: 1 | -1): void {
    const count = (this.#bySession.get(sessionId) ?? 0) + sign;
    if (count === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, count);
    this.#held += sign;
    this.#sizeBytes += sign * sizeBytes;
  }
}

/** Gives when the first of the messages was received: one that was held back stands behind younger ones. */
export function oldestOf(messages: readonly Recordable[]): number | undefined {
  return messages.reduce<number | undefined>(
    (oldest, { receivedAt }) => Math.min(oldest ?? receivedAt, receivedAt),
    undefined,
  );
}

/** About what a message takes in memory: only an agent's event carries more than its content. */
function sizeOf({ content, metadata: { payload } }: Recordable): number {
  const carried = payload === undefined ? 0 : JSON.stringify(payload).length;
  return 500 + 2 * (content.length + carried);
}
