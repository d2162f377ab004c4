import { findAgentRole, proxyPasswords, secretValues } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { waitAtMost } from '@session/kit';
import { createMask, MASK_ALL, type Mask } from '@session/kit/mask';
import { OF_AGENT_TEMPLATE } from '../../features/env-templates/agent-values.ts';
import { LogKeeper } from './log-keeper.ts';
import { currentWorkloadId } from './next-step.ts';
import { startedValues } from './start-values.ts';
import type { SupervisionDeps } from './supervision.ts';

export class AgentOutput implements AsyncDisposable {
  readonly #deps: SupervisionDeps;
  #mask: Mask | undefined;
  #keeper: LogKeeper | undefined;

  constructor(deps: SupervisionDeps) {
    this.#deps = deps;
  }

  /** Masks the secret values with which the agent is started, which stay secret even if its template changes later. */
  async maskValuesOf(role: string, variables: Readonly<Record<string, string>>): Promise<void> {
    const known = findAgentRole(role, this.#deps.agents.roles)?.variables ?? [];
    // A plan and tools are not secrets, and would mask ordinary words.
    const given = Object.entries(variables).filter(([name]) => !OF_AGENT_TEMPLATE.has(name));
    const values = secretValues(Object.fromEntries(given), known);
    const { media, agents } = this.#deps;
    // An agent may have the media server's secret, too.
    this.#mask = await createMask([...values, media.apiSecret, ...proxyPasswords(agents.proxies)]);
  }

  async follow(row: LiveAgentRow): Promise<void> {
    if (this.#keeper) return;
    if (!this.#mask) await this.#maskStartedValuesOf(row);
    const mask = this.#mask ?? MASK_ALL;
    const { id: agentId, firstLine } = row;
    const source = { agentId, workloadId: currentWorkloadId(row), firstLine };
    this.#keeper = new LogKeeper(source, mask, this.#deps);
  }

  async stored(timeoutMs: number): Promise<void> {
    if (this.#keeper) await waitAtMost(this.#keeper.done, timeoutMs);
  }

  async #maskStartedValuesOf(row: LiveAgentRow): Promise<void> {
    const variables = await startedValues(row, this.#deps);
    if (variables) await this.maskValuesOf(row.role, variables);
    // The values cannot be opened, so any output may be secret.
    else this.#mask = MASK_ALL;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.[Symbol.asyncDispose]();
  }
}
