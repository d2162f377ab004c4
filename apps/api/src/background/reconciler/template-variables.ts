import { LaunchRefused } from '@session/agents';
import type { EnvTemplateQueries, LiveAgentRow } from '@session/db';
import type { Vault } from '../../features/env-templates/vault.ts';

export interface TemplateSource {
  readonly envTemplates: Pick<EnvTemplateQueries, 'readEnvTemplate'>;
  readonly vault: Pick<Vault, 'open'>;
}

/**
 * Gives the variables of an agent's template, as they are now; none when it has no template, or no longer. Throws a
 * LaunchRefused when they cannot be read: their key is lost.
 */
export async function templateVariables(
  { envTemplateId }: Pick<LiveAgentRow, 'envTemplateId'>,
  { envTemplates, vault }: TemplateSource,
): Promise<Record<string, string>> {
  if (envTemplateId === null) return {};
  const template = await envTemplates.readEnvTemplate(envTemplateId);
  if (!template) return {};
  const variables = vault.open(template);
  if (variables) return variables;
  const detail = 'The values of its template cannot be read with the present key.';
  throw new LaunchRefused({ reason: 'bad_configuration', detail });
}
