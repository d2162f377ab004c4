import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';

const PAGE = 100;

/**
 * Seals the values with which agents were started, and which a former key has sealed, with the current key. Returns the ids
 * of these agents. Values that no key opens are left as they are.
 */
export async function resealAgentSecrets({
  agentSecrets,
  vault,
}: Pick<Deps, 'agentSecrets' | 'vault'>): Promise<string[]> {
  const keyIds = vault.formerKeyIds;
  const resealed: string[] = [];
  for (let after: string | undefined = keyIds.length > 0 ? NIL : undefined; after !== undefined; ) {
    const page = await agentSecrets.listAgentSecretsOfKeys({ keyIds, after, limit: PAGE });
    for (const secrets of page) {
      const variables = vault.open(secrets);
      if (!variables) continue;
      await agentSecrets.resealAgentSecrets(
        secrets.id,
        secrets.nonce,
        vault.seal(variables, secrets),
      );
      resealed.push(secrets.id);
    }
    after = page.at(-1)?.id;
  }
  return resealed;
}
