import type { LiveAgentRow } from '@session/db';
import { pause } from '@session/kit';
import { readTemplate, type TemplateSource } from '../../features/agents/template-variables.ts';
import { LogKeeper, type LogKeeperOptions } from './log-keeper.ts';
import { createMask, MASK, type Mask } from './mask.ts';

export interface AgentOutputOptions extends Omit<LogKeeperOptions, 'mask'>, TemplateSource {
  /** Masked beside the agent's own variables: the media server's secret, which an agent may have too. */
  readonly secrets: readonly string[];
}

/** Stores what one agent prints, and masks the secrets that the agent was given. */
export class AgentOutput implements AsyncDisposable {
  readonly #options: AgentOutputOptions;
  #mask: Mask | undefined;
  #keeper: LogKeeper | undefined;

  constructor(options: AgentOutputOptions) {
    this.#options = options;
  }

  /** Masks the values that the agent is started with. Its template may change later; these values stay secret. */
  maskValuesOf(variables: Readonly<Record<string, string>>): void {
    this.#mask = createMask([...Object.values(variables), ...this.#options.secrets]);
  }

  /** Starts storing the output of the agent, unless that has been started before. */
  async follow(row: Pick<LiveAgentRow, 'envTemplateId' | 'id'>): Promise<void> {
    if (this.#keeper) return;
    if (!this.#mask) await this.#maskTemplateOf(row);
    const mask = this.#mask ?? maskAll;
    this.#keeper = new LogKeeper(row.id, { ...this.#options, mask });
  }

  /** Resolves when all output is stored, or can no longer be stored; at the latest after `timeoutMs`. */
  async stored(timeoutMs: number): Promise<void> {
    if (!this.#keeper) return;
    const done = new AbortController();
    await Promise.race([this.#keeper.done, pause(timeoutMs, done.signal)]);
    done.abort();
  }

  /** For an agent that another process has started: the current values of its template are the best guess. */
  async #maskTemplateOf(row: Pick<LiveAgentRow, 'envTemplateId'>): Promise<void> {
    const variables = await readTemplate(row, this.#options);
    if (variables) this.maskValuesOf(variables);
    // The template cannot be opened: nobody knows what is secret in the output.
    else this.#mask = maskAll;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.[Symbol.asyncDispose]();
  }
}

function maskAll(): string {
  return MASK;
}
