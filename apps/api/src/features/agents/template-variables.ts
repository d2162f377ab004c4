import { LaunchRefused } from '@session/agents';
import type { EnvTemplateQueries } from '@session/db';
import type { Vault } from '../env-templates/vault.ts';

export interface TemplateSource {
  readonly envTemplates: Pick<EnvTemplateQueries, 'readEnvTemplate'>;
  readonly vault: Pick<Vault, 'open'>;
}

/**
 * Returns the current variables of an agent's environment template: `{}` when the agent has no template, or the template
 * was deleted. Throws a LaunchRefused when the variables cannot be read because their key is lost.
 */
export async function templateVariables(
  { envTemplateId }: { readonly envTemplateId: string | null },
  { envTemplates, vault }: TemplateSource,
): Promise<Record<string, string>> {
  if (envTemplateId === null) return {};
  const template = await envTemplates.readEnvTemplate(envTemplateId);
  if (!template) return {};
  const variables = vault.open(template);
  if (variables) return variables;
  const detail = 'The values of the agent’s template cannot be read with the current key.';
  throw new LaunchRefused({ reason: 'bad_configuration', detail });
}
