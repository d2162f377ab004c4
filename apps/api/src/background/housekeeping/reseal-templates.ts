import type { Deps } from '../../deps.ts';

const MOST = 100;

/**
 * Seals with the present key what a former one has sealed, up to 100 templates, and gives their ids: when there are none
 * any more, the former key can go.
 */
export async function resealTemplates({
  envTemplates,
  vault,
}: Pick<Deps, 'envTemplates' | 'vault'>): Promise<string[]> {
  const keyIds = [...vault.formerKeyIds];
  if (keyIds.length === 0) return [];
  const resealed = [];
  for (const template of await envTemplates.listEnvTemplatesOfKeys({ keyIds, limit: MOST })) {
    const variables = vault.open(template);
    if (!variables) continue;
    const sealed = vault.seal(variables, template);
    await envTemplates.resealEnvTemplate(template.id, template.nonce, sealed);
    resealed.push(template.id);
  }
  return resealed;
}
