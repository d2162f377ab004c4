import type { SealedAgentSecrets, SealedVariables } from '@session/db';
import type { Vault } from './vault.ts';

interface AgentKey {
  readonly id: string;
  readonly projectId: string;
}

/** The variables that an agent template adds to an agent's values. Environment templates cannot set them. */
export const OF_AGENT_TEMPLATE: ReadonlySet<string> = new Set(['PLAN', 'AGENT_DEFINITION']);

/**
 * Seals the values with which an agent starts. A release without agent templates cannot open the values of an agent that
 * runs with an agent template, so its processes refuse to start that agent again.
 */
export function sealAgentValues(
  vault: Vault,
  values: Readonly<Record<string, string>>,
  { id, projectId }: AgentKey,
  hasTemplate: boolean,
): SealedVariables {
  return vault.seal(values, { id: hasTemplate ? templated(id) : id, projectId });
}

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
