import { findAgentRole, secretValues } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { pause } from '@session/kit';
import { LogKeeper, type LogKeeperOptions } from './log-keeper.ts';
import { createMask, MASK_ALL, type Mask } from './mask/mask.ts';
import { currentWorkloadId } from './next-step.ts';
import { type StartValueSource, startedValues } from './start-values.ts';

export interface AgentOutputOptions extends Omit<LogKeeperOptions, 'mask'>, StartValueSource {
  /** Masked as well: the media server's secret, which an agent may have too. */
  readonly secrets: readonly string[];
}

/** Stores what one workload of an agent prints, and masks the secrets that the agent was given. */
export class AgentOutput implements AsyncDisposable {
  readonly #options: AgentOutputOptions;
  #mask: Mask | undefined;
  #keeper: LogKeeper | undefined;

  constructor(options: AgentOutputOptions) {
    this.#options = options;
  }

  /** Masks the secret values that the agent is started with. Its template may change later, but these values stay secret. */
  async maskValuesOf(role: string, variables: Readonly<Record<string, string>>): Promise<void> {
    const known = findAgentRole(role)?.variables ?? [];
    const values = secretValues(variables, known);
    this.#mask = await createMask([...values, ...this.#options.secrets]);
  }

  async follow(
    row: Pick<LiveAgentRow, 'envTemplateId' | 'id' | 'restarts' | 'role'>,
  ): Promise<void> {
    if (this.#keeper) return;
    if (!this.#mask) await this.#maskStartedValuesOf(row);
    const mask = this.#mask ?? MASK_ALL;
    const source = { agentId: row.id, workloadId: currentWorkloadId(row) };
    this.#keeper = new LogKeeper(source, { ...this.#options, mask });
  }

  async stored(timeoutMs: number): Promise<void> {
    if (!this.#keeper) return;
    const done = new AbortController();
    await Promise.race([this.#keeper.done, pause(timeoutMs, done.signal)]);
    done.abort();
  }

  async #maskStartedValuesOf(
    row: Pick<LiveAgentRow, 'envTemplateId' | 'id' | 'role'>,
  ): Promise<void> {
    const variables = await startedValues(row, this.#options);
    if (variables) await this.maskValuesOf(row.role, variables);
    // The values cannot be opened: nobody knows what is secret in the output.
    else this.#mask = MASK_ALL;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.[Symbol.asyncDispose]();
  }
}
