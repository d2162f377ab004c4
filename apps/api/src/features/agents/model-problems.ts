import type { AgentPreflight } from '@session/contract';
import { askModel } from '@session/conversation/ask-model';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';

const TIMEOUT_MS = 3000;

const ALL_NETWORKS = ['0.0.0.0/0', '::/0'];

/** All that is routed on the Internet with IPv6. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

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

/** Returns whether the API may connect to `host`: an IP address, or a name, whose addresses are judged again. */
export function isOpen(host: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(host)) return true;
  const address = ipaddr.process(host);
  const isOpened = networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });
  const isPublic = address.range() === 'unicast';
  return isOpened || (isPublic && (address.kind() === 'ipv4' || address.match(GLOBAL_IPV6)));
}
