import type { SealedAgentSecrets, SealedVariables } from '@session/db';
import type { Vault } from './vault.ts';

interface AgentKey {
  readonly id: string;
  readonly projectId: string;
}

/** What no environment template sets: the values of an agent have it only if it runs with an agent template. */
export const OF_AGENT_TEMPLATE: ReadonlySet<string> = new Set(['PLAN', 'AGENT_DEFINITION']);

/**
 * Seals the values with which an agent starts. Processes of the release that knew no agent templates cannot open those
 * of one, and refuse to start the agent again.
 */
export function sealAgentValues(
  vault: Vault,
  values: Readonly<Record<string, string>>,
  { id, projectId }: AgentKey,
  hasTemplate: boolean,
): SealedVariables {
  return vault.seal(values, { id: hasTemplate ? templated(id) : id, projectId });
}

/** Returns the values, and whether they are those of an agent template; undefined when they cannot be opened. */
export function openAgentValues(
  vault: Vault,
  sealed: SealedAgentSecrets,
): { values: Record<string, string>; hasTemplate: boolean } | undefined {
  const plain = vault.open(sealed);
  if (plain) return { values: plain, hasTemplate: false };
  const values = vault.open({ ...sealed, id: templated(sealed.id) });
  return values && { values, hasTemplate: true };
}

function templated(id: string): string {
  return `${id} with a template `;
}
