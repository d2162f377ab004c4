import type { LogLine } from '@session/agents';
import { type AgentLogEnd, appendLog, findLogEnd, isDatabaseAway } from '@session/db';
import { pause, redactTokens } from '@session/kit';
import type { Mask } from '@session/kit/mask';
import { inBatches } from './in-batches.ts';
import { LineMask } from './line-mask.ts';
import type { SupervisionDeps } from './supervision.ts';

/** `firstLine`: the number of the first log line that may be of this workload; null if unknown. */
export interface FollowedWorkload {
  readonly agentId: string;
  readonly workloadId: string;
  readonly firstLine: number | null;
}

/**
 * Follows a workload's output from the end of its agent's stored log, and stores it. While the database is away,
 * reading pauses, and the launcher keeps only the last lines. If the machine's clock is behind that of the agent's former
 * machine, lines get later times.
 */
export class LogKeeper implements AsyncDisposable {
  /** Resolves when the output has ended and is stored, or can no longer be stored. Never rejects. */
  readonly done: Promise<void>;
  readonly #agentId: string;
  readonly #workloadId: string;
  readonly #firstLine: number | null;
  readonly #mask: Mask;
  readonly #deps: SupervisionDeps;
  readonly #stop = new AbortController();

  constructor(
    { agentId, workloadId, firstLine }: FollowedWorkload,
    mask: Mask,
    deps: SupervisionDeps,
  ) {
    this.#agentId = agentId;
    this.#workloadId = workloadId;
    this.#firstLine = firstLine;
    this.#mask = mask;
    this.#deps = deps;
    this.done = this.#run();
  }

  async #run(): Promise<void> {
    const { launcher, database, flushMs, log } = this.#deps;
    const mask = new LineMask(this.#mask);
    const { signal } = this.#stop;
    const agentId = this.#agentId;
    try {
      let end = await this.#retryWhileAway(() => findLogEnd(database, agentId));
      const { lastAt } = end;
      const isUnread = this.#firstLine !== null && end.nextLine <= this.#firstLine;
      const since = isUnread ? 0 : (lastAt ?? 0);
      const output = launcher.logs(this.#workloadId, { since, follow: true, signal });
      const lines = lastAt === null ? output : laterThan(lastAt, output);
      for await (const batch of inBatches(lines, flushMs)) {
        end = await this.#store(end, mask.push(batch));
      }
      // If this process stops, the next leader reads the waiting lines again.
      if (!signal.aborted) await this.#store(end, mask.end());
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, agentId }, 'storing agent log failed');
    } finally {
      this.#stop.abort();
    }
  }

  async #store(end: AgentLogEnd, lines: readonly LogLine[]): Promise<AgentLogEnd> {
    const { database } = this.#deps;
    if (lines.length === 0) return end;
    // LiveKit's authentication errors contain the whole token.
    const kept = lines.map(({ at, line }) => ({ at, line: redactTokens(line) }));
    const next = await this.#retryWhileAway(() => appendLog(database, this.#agentId, end, kept));
    if (next) return next;
    // Another process that follows the same output, or an earlier attempt, has stored some or all of these lines.
    const newEnd = await this.#retryWhileAway(() => findLogEnd(database, this.#agentId));
    const rest = lines.filter(({ at }) => at > (newEnd.lastAt ?? 0));
    return rest.length === 0 ? newEnd : await this.#store(newEnd, rest);
  }

  async #retryWhileAway<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        if (!(await pause(this.#deps.retryMs, this.#stop.signal))) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.done;
  }
}

/** Yields the lines with increasing times after `at`. Only times that are too early are changed. */
async function* laterThan(at: number, lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
  let lastAt = at;
  for await (const line of lines) {
    lastAt = Math.max(line.at, lastAt + 1);
    yield { ...line, at: lastAt };
  }
}
