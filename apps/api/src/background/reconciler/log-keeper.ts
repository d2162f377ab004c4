import type { AgentLauncher, LogLine } from '@session/agents';
import { type AgentLogEnd, type AgentLogQueries, isDatabaseAway } from '@session/db';
import { pause, redactTokens } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import { inBatches } from './in-batches.ts';
import type { Mask } from './mask.ts';

export interface LogKeeperOptions {
  readonly launcher: Pick<AgentLauncher, 'logs'>;
  readonly agentLogs: Pick<AgentLogQueries, 'appendLog' | 'findLogEnd'>;
  /** How old a line may become before it is stored. */
  readonly flushMs: number;
  /** How long to wait for a database that is away before it is asked again. */
  readonly retryMs: number;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Takes out of a line what nobody is to read. */
  readonly mask: Mask;
}

/**
 * Follows an agent's output from where the stored log ends, and stores it. While the database is away it waits, and reads
 * no further: the launcher keeps the last lines.
 */
export class LogKeeper implements AsyncDisposable {
  /** Resolves when the output has ended and all of it is stored, or cannot be. Never rejects. */
  readonly done: Promise<void>;
  readonly #agentId: string;
  readonly #options: LogKeeperOptions;
  readonly #stop = new AbortController();

  constructor(agentId: string, options: LogKeeperOptions) {
    this.#agentId = agentId;
    this.#options = options;
    this.done = this.#keep();
  }

  async #keep(): Promise<void> {
    const { launcher, agentLogs, flushMs, log, mask } = this.#options;
    const { signal } = this.#stop;
    const agentId = this.#agentId;
    try {
      let end = await this.#insist(() => agentLogs.findLogEnd(agentId));
      const lines = launcher.logs(agentId, { since: end.lastAt ?? 0, follow: true, signal });
      for await (const batch of inBatches(lines, flushMs)) {
        // LiveKit's errors of authentication hold the whole token.
        const kept = batch.map(({ at, line }) => ({ at, line: redactTokens(mask(line)) }));
        end = await this.#store(end, kept);
      }
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, agentId }, 'the log of an agent is not kept');
    } finally {
      this.#stop.abort();
    }
  }

  async #store(end: AgentLogEnd, lines: readonly LogLine[]): Promise<AgentLogEnd> {
    const { agentLogs } = this.#options;
    const next = await this.#insist(() => agentLogs.appendLog(this.#agentId, end, lines));
    if (next) return next;
    // They are there already: another process follows the same output, or our last attempt had come through.
    const theirs = await this.#insist(() => agentLogs.findLogEnd(this.#agentId));
    const rest = lines.filter(({ at }) => at > (theirs.lastAt ?? 0));
    return rest.length === 0 ? theirs : await this.#store(theirs, rest);
  }

  /** Repeats `work` until the database is there, or we are stopped. */
  async #insist<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        if (!(await pause(this.#options.retryMs, this.#stop.signal))) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.done;
  }
}
