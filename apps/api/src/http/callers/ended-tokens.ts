import type * as db from '@session/db';
import { AppError, pause } from '@session/kit';

interface EndedTokensTiming {
  readonly everyMs: number;
  readonly retryMs: number;
  /**
   * No token is accepted when the last successful read began longer ago than this. Well below the 30 s of
   * `listNewlyEndedTokens`.
   */
  readonly staleMs: number;
}

export interface EndedTokensOptions {
  /** These statements have a limit, so that a frozen database fails a read, and the next one may succeed. */
  readonly tokens: db.Bound<Pick<typeof db, 'listEndedTokens' | 'listNewlyEndedTokens'>>;
  readonly lifetimeSeconds: number;
  readonly timing?: Partial<EndedTokensTiming>;
  readonly now?: () => number;
}

const TIMING: EndedTokensTiming = { everyMs: 5000, retryMs: 500, staleMs: 15_000 };
/**
 * Because clocks differ, a token may be valid for up to this much longer, and a process may remember its end for
 * longer.
 */
const SPARE_SECONDS = 3600;

type OnEnded = (userId: string, version: number) => void;

interface Ended {
  readonly version: number;
  readonly endedAt: number;
}

/** Returns how old a token may become. Tokens of participants last up to a day, whatever `lifetimeSeconds` is. */
export function oldestTokenSeconds(lifetimeSeconds: number): number {
  return Math.max(lifetimeSeconds, 86_400);
}

/** Returns for how long the end of tokens is remembered: until the last of these tokens has expired by any clock. */
export function rememberedSeconds(lifetimeSeconds: number): number {
  return oldestTokenSeconds(lifetimeSeconds) + SPARE_SECONDS;
}

/**
 * Returns for how long the database keeps the end of tokens: longer than any process remembers it. Once the row of an
 * erased end user is deleted, that user may return with tokens of the first version, which no process may refuse.
 */
export function storedSeconds(lifetimeSeconds: number): number {
  return rememberedSeconds(lifetimeSeconds) + SPARE_SECONDS;
}

/**
 * The users whose tokens below a version have ended, for example by a sign-out or a new password. Each process holds all
 * of them in memory. A notification reports each change. Recent changes are also read every `everyMs`, and everything
 * whenever listening begins. The greater version wins, so a late read revives no token.
 */
export class EndedTokens implements db.Listening, AsyncDisposable {
  readonly #options: EndedTokensOptions;
  readonly #timing: EndedTokensTiming;
  readonly #now: () => number;
  readonly #ended = new Map<string, Ended>();
  readonly #listeners = new Set<OnEnded>();
  readonly #stop = new AbortController();
  #polling: Promise<void> | undefined;
  #readAt = -Infinity;

  constructor(options: EndedTokensOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#now = options.now ?? (() => performance.now());
  }

  /** Resolves after the first read, even if that failed. Until a read succeeds, no token is accepted. */
  async start(): Promise<void> {
    await this.#read();
    this.#polling = this.#poll();
  }

  onListening(): void {
    void this.#read();
  }

  onChange(_channel: unknown, payload: string): void {
    const [, userId, version] = /^(\S+) (\d+)$/.exec(payload) ?? [];
    if (userId !== undefined) this.note(userId, Number(version));
  }

  /**
   * Throws `unauthorized` for a token of an ended version, and `unavailable` while it is unknown which versions have
   * ended.
   */
  assertCurrent(userId: string, version: number): void {
    if (this.#isStale()) throw new AppError('unavailable', 'the ended tokens could not be read');
    if (version >= (this.#ended.get(userId)?.version ?? 0)) return;
    const detail =
      'The token is no longer valid because of a sign-out, a new password, or the end of its account or key. Log in again with POST /auth/login. If the token came from the backend of a product, ask that backend for a new one.';
    throw new AppError('unauthorized', 'the version of the token has ended', { detail });
  }

  note(userId: string, version: number, ageSeconds = 0): void {
    if (version <= (this.#ended.get(userId)?.version ?? 0)) return;
    this.#ended.set(userId, { version, endedAt: this.#now() - ageSeconds * 1000 });
    for (const onEnded of this.#listeners) onEnded(userId, version);
  }

  /** Calls `onEnded`, which must not throw, whenever tokens of a user end. */
  onEnded(onEnded: OnEnded): void {
    this.#listeners.add(onEnded);
  }

  async #read(list = this.#options.tokens.listEndedTokens): Promise<boolean> {
    const startedAt = this.#now();
    try {
      for (const row of await list()) this.note(row.userId, row.version, row.ageSeconds);
    } catch {
      return false;
    }
    this.#readAt = Math.max(this.#readAt, startedAt);
    this.#forgetExpired();
    return true;
  }

  #isStale(): boolean {
    return this.#now() - this.#readAt > this.#timing.staleMs;
  }

  async #poll(): Promise<void> {
    const { everyMs, retryMs } = this.#timing;
    const { listEndedTokens, listNewlyEndedTokens } = this.#options.tokens;
    let delayMs = everyMs;
    while (await pause(delayMs, this.#stop.signal)) {
      const list = this.#isStale() ? listEndedTokens : listNewlyEndedTokens;
      delayMs = (await this.#read(list)) ? everyMs : retryMs;
    }
  }

  #forgetExpired(): void {
    const before = this.#now() - rememberedSeconds(this.#options.lifetimeSeconds) * 1000;
    for (const [userId, { endedAt }] of this.#ended) {
      if (endedAt <= before) this.#ended.delete(userId);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#polling;
  }
}
