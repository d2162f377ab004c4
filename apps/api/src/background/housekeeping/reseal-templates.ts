import * as db from '@session/db';
import type { FastifyBaseLogger } from 'fastify';
import type { Deps } from '../../deps.ts';

/** Together with their values, of up to 512 KiB each, they are in memory at the same time. */
const PAGE_SIZE = 20;
const LEAST_ID = '00000000-0000-0000-0000-000000000000';

type ResealingDeps = Pick<Deps, 'database' | 'vault'>;

/**
 * Returns the chore that seals with the current key what other keys have sealed. When it finds no such template, the former
 * key can be deleted. The log names each template that cannot be opened, once.
 */
export function createResealing(
  deps: ResealingDeps,
  log: Pick<FastifyBaseLogger, 'warn'>,
): () => Promise<string[]> {
  const named = new Set<string>();
  return async () => {
    const { resealed, unopened } = await resealTemplates(deps);
    const templates = unopened.filter((id) => !named.has(id));
    for (const id of templates) named.add(id);
    if (templates.length > 0) {
      log.warn(
        { templates },
        'no key opens these environment templates: set the key that sealed them as ENCRYPTION_KEY_PREVIOUS, or their values again',
      );
    }
    return resealed;
  };
}

/**
 * Goes once through all templates that another key than the current one has sealed, and seals them with the current key.
 * Returns the ids of those, and of those that no known key opens: they stay as they are.
 */
async function resealTemplates({
  database,
  vault,
}: ResealingDeps): Promise<{ resealed: string[]; unopened: string[] }> {
  const resealed: string[] = [];
  const unopened: string[] = [];
  let after = LEAST_ID;
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
