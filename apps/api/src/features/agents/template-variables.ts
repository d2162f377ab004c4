import { LaunchRefused } from '@session/agents';
import { isReservedVariable } from '@session/contract';
import { type DatabaseAccess, type Hosts, readEnvTemplate } from '@session/db';
import type { Vault } from '../env-templates/vault.ts';

export interface TemplateSource {
  readonly database: DatabaseAccess;
  readonly vault: Vault;
}

/**
 * Returns the current variables of an agent's environment template, and the hosts to which tools may send them. Throws
 * a LaunchRefused when the key that sealed the variables is lost, or one of their names has become reserved.
 */
export async function templateContent(
  agent: { readonly envTemplateId: string | null },
  source: TemplateSource,
): Promise<{ variables: Record<string, string>; hosts: Hosts }> {
  const { variables, hosts = {} } = await openTemplate(agent, source);
  if (!variables) {
    throw badConfiguration(
      'The values of the agent’s environment template cannot be decrypted with any key of the service: delete the template and create it again.',
    );
  }
  const reserved = Object.keys(variables).filter(isReservedVariable);
  if (reserved.length === 0) return { variables, hosts };
  throw badConfiguration(
    `The agent’s environment template sets ${reserved.join(', ')}, which is reserved: delete it from the template.`,
  );
}

export async function readTemplate(
  agent: { readonly envTemplateId: string | null },
  source: TemplateSource,
): Promise<Record<string, string> | undefined> {
  return (await openTemplate(agent, source)).variables;
}

async function openTemplate(
  { envTemplateId }: { readonly envTemplateId: string | null },
  { database, vault }: TemplateSource,
): Promise<{ variables: Record<string, string> | undefined; hosts?: Hosts }> {
  const template = envTemplateId !== null && (await readEnvTemplate(database, envTemplateId));
  if (!template) return { variables: {} };
  return { variables: vault.open(template), hosts: template.hosts };
}

export function badConfiguration(detail: string): LaunchRefused {
  return new LaunchRefused({ reason: 'bad_configuration', detail });
}
