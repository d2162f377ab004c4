import * as db from '@session/db';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import { openAgentValues, sealAgentValues } from '../../features/env-templates/agent-values.ts';

const PAGE = 100;

/**
 * Seals the values of agents with the current key if a former key has sealed them. Returns the ids of these agents. Skips
 * values that no key opens.
 */
export async function resealAgentSecrets({ database, vault }: Deps): Promise<string[]> {
  const keyIds = vault.formerKeyIds;
  const resealed: string[] = [];
  for (let after: string | undefined = keyIds.length > 0 ? NIL : undefined; after !== undefined; ) {
    const page = await db.listAgentSecretsOfKeys(database, { keyIds, after, limit: PAGE });
    for (const secrets of page) {
      const opened = openAgentValues(vault, secrets);
      if (!opened) continue;
      const sealed = sealAgentValues(vault, opened.values, secrets, opened.hasTemplate);
      await db.resealAgentSecrets(database, secrets.id, secrets.nonce, sealed);
      resealed.push(secrets.id);
    }
    after = page.at(-1)?.id;
  }
  return resealed;
}
