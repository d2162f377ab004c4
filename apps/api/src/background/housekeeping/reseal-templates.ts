import * as db from '@session/db';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../http/log-stream.ts';

/** The values of a page, up to 512 KiB for each template, are in memory at the same time. */
const PAGE_SIZE = 20;

/**
 * Returns the chore that seals environment templates with the current key if another key has sealed them. A template
 * that no key opens is logged once.
 */
export function createResealing(deps: Deps, log: Log): () => Promise<string[]> {
  const named = new Set<string>();
  return async () => {
    const { resealed, unopened } = await resealTemplates(deps);
    const templates = unopened.filter((id) => !named.has(id));
    for (const id of templates) named.add(id);
    if (templates.length > 0) {
      log.warn(
        { templates },
        'opening environment templates failed: set ENCRYPTION_KEY_PREVIOUS to their key, or delete them and create them again',
      );
    }
    return resealed;
  };
}

async function resealTemplates({
  database,
  vault,
}: Deps): Promise<{ resealed: string[]; unopened: string[] }> {
  const resealed: string[] = [];
  const unopened: string[] = [];
  let after: string = NIL;
  for (;;) {
    const page = { keyId: vault.keyId, after, limit: PAGE_SIZE };
    const templates = await db.listEnvTemplatesOfOtherKeys(database, page);
    for (const template of templates) {
      const variables = vault.open(template);
      if (variables) {
        const sealed = vault.seal(variables, template);
        await db.resealEnvTemplate(database, template.id, template.nonce, sealed);
      }
      (variables ? resealed : unopened).push(template.id);
    }
    const last = templates.at(-1);
    if (!last || templates.length < PAGE_SIZE) return { resealed, unopened };
    after = last.id;
  }
}
