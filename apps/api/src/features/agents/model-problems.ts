import type { AgentPreflight } from '@session/contract';
import { askModel } from '@session/conversation/ask-model';
import { isOpen } from '@session/kit/open-networks';
import type { Config } from '../../config.ts';

const TIMEOUT_MS = 3000;

const ALL_NETWORKS = ['0.0.0.0/0', '::/0'];

/**
 * Returns why the model of an environment template would give an agent no answer. A member chooses the address, so the API asks
 * only the Internet, and the networks that the operator opens. Behind a proxy, which resolves names itself, it asks a name only
 * where all networks are open.
 */
export async function problemsOfModel(
  variables: Readonly<Record<string, string>>,
  { modelNetworks, proxies }: Config['agents'],
): Promise<AgentPreflight['problems']> {
  const isClosed = (address: string) => !isOpen(address, modelNetworks);
  const mayProxyResolve = ALL_NETWORKS.every((all) => modelNetworks.includes(all));
  const options = { isClosed, mayProxyResolve, timeoutMs: TIMEOUT_MS };
  const failure = await askModel({ ...variables, ...proxies }, options);
  if (!failure) return [];
  return failure.kind === 'refused'
    ? [problem('model_refused', 'refuses the request', failure.message)]
    : [problem('model_unreachable', 'cannot be reached from the API', failure.message)];
}

function problem(code: string, what: string, why: string): AgentPreflight['problems'][number] {
  const advice = 'Check LLM_BASE_URL and LLM_API_KEY in the agent’s environment template';
  return { code, detail: `The language model ${what}: ${why}. ${advice}.` };
}
