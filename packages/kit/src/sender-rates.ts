/** A message costs one unit for each started block of this many bytes, so long messages are limited like many short ones. */
const UNIT_BYTES = 2048;
/**
 * What the rate allows in this time may also come at once, such as pasted texts, or messages that waited during an
 * outage.
 */
const BURST_SECONDS = 60;
const IN_ALL_SESSIONS = 10;
/** Idle senders are forgotten whenever the number of senders has doubled, but not while there are fewer than this. */
const MIN_SENDERS = 1000;

interface RatedMessage {
  readonly sessionId: string;
  /** Null if unknown. All unknown senders of a session count as one. */
  readonly sender: string | null;
  readonly sizeBytes: number;
  readonly at: number;
}

/**
 * Limits how many messages a sender may send per second to a session. To all sessions together, it may send ten times as
 * many. Up to a minute's worth may come at once. Each process counts for itself.
 */
export class SenderRates {
  readonly #inSessions: Rates;
  readonly #inAll: Rates;

  /** `perSecond` is the limit in one session; 0 means no limit. `now` is the clock by which messages have their times. */
  constructor(perSecond: number, now: () => number = Date.now) {
    this.#inSessions = new Rates(perSecond, now);
    this.#inAll = new Rates(perSecond * IN_ALL_SESSIONS, now);
  }

  /**
   * Counts a message and returns 0. If it comes too early, returns after how many milliseconds it may come, and does not
   * count it.
   */
  take(message: RatedMessage): number {
    const answer = this.#ask(message);
    if (answer.waitMs === 0) answer.take();
    return answer.waitMs;
  }

  /** Returns what `take` would return, and counts nothing. */
  waitMs(message: RatedMessage): number {
    return this.#ask(message).waitMs;
  }

  #ask({ sessionId, sender, sizeBytes, at }: RatedMessage): Answer {
    const cost = Math.max(1, Math.ceil(sizeBytes / UNIT_BYTES));
    const inSession = this.#inSessions.ask(`${sessionId}/${sender ?? ''}`, cost, at);
    const inAll = sender === null ? undefined : this.#inAll.ask(sender, cost, at);
    return {
      waitMs: Math.ceil(Math.max(inSession.waitMs, inAll?.waitMs ?? 0)),
      take: () => {
        inSession.take();
        inAll?.take();
      },
    };
  }
}

interface Answer {
  readonly waitMs: number;
  take(): void;
}

class Rates {
  readonly #unitMs: number;
  readonly #now: () => number;
  readonly #fullAt = new Map<string, number>();
  #forgetAbove = MIN_SENDERS;

  constructor(perSecond: number, now: () => number) {
    this.#now = now;
    this.#unitMs = perSecond === 0 ? 0 : 1000 / perSecond;
  }

  ask(key: string, cost: number, at: number): Answer {
    const burstMs = BURST_SECONDS * 1000;
    // A message that costs more than a full bucket takes all of it.
    const costMs = Math.min(cost * this.#unitMs, burstMs);
    const stored = this.#fullAt.get(key) ?? at;
    // `take` never stores a later time than this, so the clock was set back since then. The time of the message does
    // not show that, because messages may come in another order than that of their times.
    const wasSetBack = stored > this.#now() + burstMs;
    const fullAt = (wasSetBack ? at : Math.max(stored, at)) + costMs;
    return {
      waitMs: Math.max(0, fullAt - burstMs - at),
      take: () => {
        if (this.#unitMs === 0) return;
        this.#fullAt.set(key, fullAt);
        this.#forget(at);
      },
    };
  }

  #forget(now: number): void {
    if (this.#fullAt.size <= this.#forgetAbove) return;
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
    this.#forgetAbove = Math.max(MIN_SENDERS, 2 * this.#fullAt.size);
  }
}
