import { ConnectionError, isApiError, isConnectionError } from './api-error.ts';
import { unlessAborted } from './pause.ts';
import { retryDelay } from './retry.ts';

/** The API's answer while its database is unavailable, and a proxy's answers while the API is. */
const AWAY = /^(unavailable|http_50[234])$/;

interface Waiting {
  readonly name: string;
  readonly turn: PromiseWithResolvers<void>;
}

/**
 * Shares the attempts of a client's requests while the API cannot be reached. One waiting request at a time is sent, after a
 * random wait that grows. If it fails, all waiting requests fail. A person's requests (`isUrgent`) are sent at once. Any answer
 * except those in `AWAY` ends the outage.
 */
export class Outage {
  readonly #random: () => number;
  #failures = 0;
  /** Counts the failures that were noted. The failure of a request that began before the latest noted failure is ignored. */
  #attempt = 0;
  #opensAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Set<Waiting>();

  constructor(random: () => number) {
    this.#random = random;
  }

  async turn(name: string, isUrgent: boolean, signal: AbortSignal | undefined): Promise<number> {
    if (this.#failures === 0 || isUrgent) return this.#attempt;
    const waiting: Waiting = { name, turn: Promise.withResolvers() };
    this.#waiting.add(waiting);
    if (this.#waiting.size === 1) this.#schedule();
    try {
      await unlessAborted(waiting.turn.promise, signal);
    } finally {
      this.#waiting.delete(waiting);
      if (this.#waiting.size === 0) clearTimeout(this.#timer);
    }
    return this.#attempt;
  }

  end(): void {
    this.#failures = 0;
    clearTimeout(this.#timer);
    for (const { turn } of this.#waiting) turn.resolve();
  }

  retryNow(): void {
    this.#opensAt = 0;
    if (this.#waiting.size) this.#schedule();
  }

  /** Notes a failed request. A request that timed out does not begin an outage, because the next one may be fast. */
  note(error: unknown, attempt: number, isSlow = false): void {
    if (attempt !== this.#attempt || (isSlow && this.#failures === 0)) return;
    this.#postpone(error);
    this.#failures += 1;
    this.#attempt += 1;
    for (const { name, turn } of this.#waiting) {
      const text = `${name} was not sent: the API cannot be reached`;
      turn.reject(isApiError(error) ? error : new ConnectionError(text, { cause: error }));
    }
  }

  delays(error: unknown): boolean {
    return this.#failures > 0 && isUnreachable(error);
  }

  #postpone(error?: unknown): void {
    this.#opensAt = Date.now() + retryDelay(error, this.#failures, this.#random);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#letOneGo(), Math.max(0, this.#opensAt - Date.now()));
  }

  #letOneGo(): void {
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    // An attempt that gets neither an answer nor a refusal must not block the others.
    this.#postpone();
    next.turn.resolve();
    if (this.#waiting.size) this.#schedule();
  }
}

export function isAway(error: unknown): boolean {
  return isApiError(error) && AWAY.test(error.code);
}

/**
 * Returns whether the API may be unreachable. Includes a proxy's answer while it reloads its routes, and the answer to
 * a request that did not arrive in time.
 */
export function isUnreachable(error: unknown): boolean {
  return (
    isConnectionError(error) ||
    isAway(error) ||
    isApiError(error, 'http_404') ||
    isApiError(error, 'http_408')
  );
}
