import type { Deps } from '../../deps.ts';

const MAX_TEMPLATES = 100;

/**
 * Seals up to 100 templates, which a former key has sealed, with the current key, and returns their ids. When no such
 * template is left, the former key can be deleted.
 */
export async function resealTemplates({
  envTemplates,
  vault,
}: Pick<Deps, 'envTemplates' | 'vault'>): Promise<string[]> {
  const keyIds = [...vault.formerKeyIds];
  if (keyIds.length === 0) return [];
  const resealed = [];
  for (const template of await envTemplates.listEnvTemplatesOfKeys({
    keyIds,
    limit: MAX_TEMPLATES,
  })) {
    const variables = vault.open(template);
    if (!variables) continue;
    const sealed = vault.seal(variables, template);
    await envTemplates.resealEnvTemplate(template.id, template.nonce, sealed);
    resealed.push(template.id);
  }
  return resealed;
}
