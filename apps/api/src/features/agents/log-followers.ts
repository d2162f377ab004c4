import type * as db from '@session/db';
import type { LogReader, LogState, NumberedLogLine } from '@session/db';
import { pause, repeat } from '@session/kit';

export interface LogFollowersOptions {
  /**
   * These statements have a time limit, so that a frozen database ends all streams, and their clients may reconnect.
   */
  readonly agentLogs: db.Bound<Pick<typeof db, 'listLogFrom' | 'lookAtLogs'>>;
  readonly everyMs?: number;
  readonly quietMs?: number;
  readonly now?: () => number;
}

export interface LogUpdate {
  readonly lines: readonly NumberedLogLine[];
  readonly isComplete: boolean;
}

interface Step extends LogUpdate {
  readonly nextLine: number;
  readonly isBehind: boolean;
}

interface Waiter extends LogReader {
  readonly nextLine: number;
  readonly until: number;
  readonly answer: (step: Step | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The clients that follow logs. For the clients that have read all lines, one statement every `everyMs` checks whether
 * there are more lines, and whether the clients may still read. Followers at the same line share one read. A follower
 * gets no more lines until it has taken the last ones, so each follower holds at most some hundred KiB.
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
   * Yields the stored lines from the number `firstLine` on, and an update without lines after `quietMs` without new ones.
   * Ends when the log is complete, when the reader may no longer read it, when `signal` aborts, and on disposal. Throws
   * when the database is away.
   */
  async *follow(
    { agentId, userId }: LogReader,
    firstLine: number,
    signal: AbortSignal,
  ): AsyncGenerator<LogUpdate> {
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
    const [state] = await this.#agentLogs.lookAtLogs([reader]);
    // A client may send any line number. A number beyond the end must not hold back the lines that are stored next.
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

  async #watch(): Promise<void> {
    const idle = new AbortController();
    const end = AbortSignal.any([idle.signal, this.#stop.signal]);
    // Followers that were served together wait again together, so one check serves all.
    await pause(this.#everyMs, end);
    await repeat(this.#everyMs, end, async () => {
      await this.#check();
      if (this.#waiters.size === 0) idle.abort();
    });
    this.#watching = undefined;
    // A follower may have arrived meanwhile.
    if (this.#waiters.size > 0) this.#watching = this.#watch();
  }

  async #check(): Promise<void> {
    const checked = [...this.#waiters];
    try {
      const readers = new Map(checked.map((waiter) => [keyOf(waiter), waiter]));
      const states = await this.#agentLogs.lookAtLogs([...readers.values()]);
      this.#serveWaiters(checked, new Map(states.map((state) => [keyOf(state), state])));
    } catch (error) {
      for (const waiter of checked) {
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

  #serveWaiters(checked: readonly Waiter[], states: ReadonlyMap<string, LogState>): void {
    const groups = new Map<string, { state: LogState; waiters: Waiter[] }>();
    for (const waiter of checked) {
      const state = states.get(keyOf(waiter));
      if (!this.#waiters.has(waiter)) continue;
      if (!state) {
        this.#dismiss(waiter);
      } else if (state.isComplete || state.nextLine > waiter.nextLine) {
        this.#waiters.delete(waiter);
        const position = [waiter.agentId, waiter.nextLine].join();
        const group = groups.get(position) ?? { state, waiters: [] };
        group.waiters.push(waiter);
        groups.set(position, group);
      }
    }
    for (const { state, waiters } of groups.values()) void this.#serveGroup(state, waiters);
  }

  async #serveGroup(state: LogState, waiters: readonly Waiter[]): Promise<void> {
    try {
      const step = await this.#read(state, waiters[0]?.nextLine ?? state.nextLine);
      for (const { answer } of waiters) answer(step);
    } catch (error) {
      for (const { fail } of waiters) fail(error);
    }
  }

  async #read({ agentId, nextLine: end, isComplete }: LogState, nextLine: number): Promise<Step> {
    let lines: readonly NumberedLogLine[] = [];
    if (end > nextLine) lines = await this.#agentLogs.listLogFrom(agentId, nextLine);
    const next = (lines.at(-1)?.number ?? nextLine - 1) + 1;
    const isBehind = next < end && lines.length > 0;
    return { lines, nextLine: next, isBehind, isComplete: isComplete && !isBehind };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }
}

function keyOf({ agentId, userId }: LogReader): string {
  return `${agentId} ${userId}`;
}
