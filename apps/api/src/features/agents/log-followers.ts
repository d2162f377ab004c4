import type { AgentLogQueries, LogReader, LogState, NumberedLogLine } from '@session/db';
import { pause, repeat, withDeadline } from '@session/kit';

/** A database that is frozen is no answer: then all that follow are sent away, and may come again. */
const TIMEOUT_MS = 2000;

export interface LogFollowersOptions {
  readonly agentLogs: Pick<AgentLogQueries, 'listLogFrom' | 'lookAtLogs'>;
  readonly everyMs?: number;
  /** After so long without a line a follower is told that there was none. */
  readonly quietMs?: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number;
}

/** What a follower is given: lines, or that there were none for a while. */
export interface LogNews {
  readonly lines: readonly NumberedLogLine[];
  /** Whether these were the last. */
  readonly isComplete: boolean;
}

interface Step extends LogNews {
  readonly nextLine: number;
  /** Whether more can be had without waiting. */
  readonly isBehind: boolean;
}

interface Waiter extends LogReader {
  readonly nextLine: number;
  readonly until: number;
  /** Gets undefined when there is nothing to wait for any more. */
  readonly answer: (step: Step | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Those who follow the logs of agents. While there are any that have read all, one statement every `everyMs` looks whether
 * there is more for any of them, and whether each may still read it; those at the same line of an agent are served by one
 * read. Nothing is read for a follower before it has taken what it was given: it holds some hundred KiB at most.
 */
export class LogFollowers implements AsyncDisposable {
  readonly #agentLogs: LogFollowersOptions['agentLogs'];
  readonly #everyMs: number;
  readonly #quietMs: number;
  readonly #now: () => number;
  readonly #waiters = new Set<Waiter>();
  readonly #stop = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(options: LogFollowersOptions) {
    const { agentLogs, everyMs = 250, quietMs = 15_000, now = () => performance.now() } = options;
    this.#agentLogs = agentLogs;
    this.#everyMs = everyMs;
    this.#quietMs = quietMs;
    this.#now = now;
  }

  /**
   * Gives the lines of an agent from the number `firstLine` on, as they come; those that are not kept any more are left
   * out. Ends when the log is complete, when the reader may not read it any more, once `signal` aborts, or when we end.
   * Throws when the database is away.
   */
  async *follow(
    { agentId, userId }: LogReader,
    firstLine: number,
    signal: AbortSignal,
  ): AsyncGenerator<LogNews> {
    const reader = { agentId, userId };
    const end = AbortSignal.any([signal, this.#stop.signal]);
    let nextLine = firstLine;
    let isBehind = true;
    while (!end.aborted) {
      const step: Step | undefined = isBehind
        ? await this.#catchUp(reader, nextLine)
        : await this.#wait(reader, nextLine, end);
      if (!step) return;
      if (step.lines.length > 0 || step.isComplete || !isBehind) yield step;
      if (step.isComplete) return;
      ({ nextLine, isBehind } = step);
    }
  }

  async #catchUp(reader: LogReader, nextLine: number): Promise<Step | undefined> {
    const looked = this.#agentLogs.lookAtLogs([reader]);
    const [state] = await withDeadline(looked, TIMEOUT_MS);
    // A number from elsewhere must not keep lines back.
    return state && (await this.#read(state, Math.min(nextLine, state.nextLine)));
  }

  async #wait(reader: LogReader, nextLine: number, signal: AbortSignal): Promise<Step | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<Step | undefined>();
    const until = this.#now() + this.#quietMs;
    const waiter = { ...reader, nextLine, until, answer: resolve, fail: reject };
    const leave = () => this.#dismiss(waiter);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiters.add(waiter);
    this.#watching ??= this.#watch();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #dismiss(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    waiter.answer(undefined);
  }

  /** Runs while somebody waits. */
  async #watch(): Promise<void> {
    const idle = new AbortController();
    const end = AbortSignal.any([idle.signal, this.#stop.signal]);
    // Those who have just been served come back together.
    await pause(this.#everyMs, end);
    await repeat(this.#everyMs, end, async () => {
      await this.#look();
      if (this.#waiters.size === 0) idle.abort();
    });
    this.#watching = undefined;
    // Somebody may have come while it ended.
    if (this.#waiters.size > 0) this.#watching = this.#watch();
  }

  async #look(): Promise<void> {
    const asked = [...this.#waiters];
    try {
      const readers = new Map(asked.map((waiter) => [keyOf(waiter), waiter]));
      const looked = this.#agentLogs.lookAtLogs([...readers.values()]);
      const states = await withDeadline(looked, TIMEOUT_MS);
      this.#wake(asked, new Map(states.map((state) => [keyOf(state), state])));
    } catch (error) {
      for (const waiter of asked) {
        this.#waiters.delete(waiter);
        waiter.fail(error);
      }
    }
    const now = this.#now();
    for (const waiter of this.#waiters) {
      if (waiter.until > now) continue;
      this.#waiters.delete(waiter);
      const { nextLine } = waiter;
      waiter.answer({ lines: [], isComplete: false, nextLine, isBehind: false });
    }
  }

  /** `states` has none for those who may not read any more. */
  #wake(asked: readonly Waiter[], states: ReadonlyMap<string, LogState>): void {
    const groups = new Map<string, { state: LogState; waiters: Waiter[] }>();
    for (const waiter of asked) {
      const state = states.get(keyOf(waiter));
      if (!this.#waiters.has(waiter)) continue;
      if (!state) {
        this.#dismiss(waiter);
      } else if (state.isComplete || state.nextLine > waiter.nextLine) {
        this.#waiters.delete(waiter);
        const place = [waiter.agentId, waiter.nextLine].join();
        const group = groups.get(place) ?? { state, waiters: [] };
        group.waiters.push(waiter);
        groups.set(place, group);
      }
    }
    for (const { state, waiters } of groups.values()) void this.#serve(state, waiters);
  }

  /** All of `waiters` wait for the same line. */
  async #serve(state: LogState, waiters: readonly Waiter[]): Promise<void> {
    try {
      const step = await this.#read(state, waiters[0]?.nextLine ?? state.nextLine);
      for (const { answer } of waiters) answer(step);
    } catch (error) {
      for (const { fail } of waiters) fail(error);
    }
  }

  async #read({ agentId, nextLine: end, isComplete }: LogState, nextLine: number): Promise<Step> {
    let lines: readonly NumberedLogLine[] = [];
    if (end > nextLine) {
      lines = await withDeadline(this.#agentLogs.listLogFrom(agentId, nextLine), TIMEOUT_MS);
    }
    const next = (lines.at(-1)?.number ?? nextLine - 1) + 1;
    const isBehind = next < end && lines.length > 0;
    return { lines, nextLine: next, isBehind, isComplete: isComplete && !isBehind };
  }

  /** Ends all that wait. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }
}

function keyOf({ agentId, userId }: LogReader): string {
  return `${agentId} ${userId}`;
}
