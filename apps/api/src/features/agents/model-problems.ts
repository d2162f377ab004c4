import type { AgentPreflight } from '@session/contract';
import { askModel } from '@session/conversation/ask-model';
import { loadSettings, type ModelSettings } from '@session/conversation/settings';
import { isOpen } from '@session/kit/open-networks';
import type { Config } from '../../config.ts';

const TIMEOUT_MS = 3000;

const ALL_NETWORKS = ['0.0.0.0/0', '::/0'];

/**
 * Returns why the models of a template would not answer. A member chooses their addresses, so only the Internet and the
 * operator's open networks are contacted. A proxy resolves names itself, so through a proxy a name is contacted only if
 * all networks are open.
 */
export async function problemsOfModels(
  variables: Readonly<Record<string, string>>,
  { modelNetworks, proxies }: Config['agents'],
): Promise<AgentPreflight['problems']> {
  const isClosed = (address: string) => !isOpen(address, modelNetworks);
  const mayProxyResolve = ALL_NETWORKS.every((all) => modelNetworks.includes(all));
  const options = { isClosed, mayProxyResolve, timeoutMs: TIMEOUT_MS };
  const { model } = loadSettings({ ...variables, ...proxies });
  const models = model.fallback ? [model, model.fallback] : [model];
  const failures = await Promise.all(models.map((one) => askModel(one, options)));
  return models.flatMap((one, index) => problemOf(one, failures[index]));
}

function problemOf(
  { prefix }: ModelSettings,
  failure: Awaited<ReturnType<typeof askModel>>,
): AgentPreflight['problems'] {
  if (!failure) return [];
  const [code, what] =
    failure.kind === 'refused'
      ? ['model_refused', 'refuses the request']
      : ['model_unreachable', 'cannot be reached from the API'];
  const name = prefix === 'LLM' ? 'language model' : 'fallback model';
  const advice = `Check ${prefix}_BASE_URL and ${prefix}_API_KEY in the agent’s environment template`;
  return [{ code, detail: `The ${name} ${what}: ${failure.message}. ${advice}.` }];
}
