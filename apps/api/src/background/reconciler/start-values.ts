import { templateEnvironment } from '@session/conversation/template';
import { type Hosts, insertAgentSecrets, type LiveAgentRow, readAgentSecrets } from '@session/db';
import { AppError } from '@session/kit';
import { templateOfAgent } from '../../features/agents/agent-templates.ts';
import {
  badConfiguration,
  readTemplate,
  type TemplateSource,
  templateContent,
} from '../../features/agents/template-variables.ts';
import { openAgentValues, sealAgentValues } from '../../features/env-templates/agent-values.ts';

/**
 * Returns the variables with which an agent is started, and stores them before its start: those of its environment
 * template, overridden by those of its agent template. A repeated start, or a restart, uses the variables of the first
 * attempt, which may have created a part of the workload. Throws a LaunchRefused when the variables cannot be used.
 */
export async function valuesForStart(
  row: LiveAgentRow,
  source: TemplateSource,
): Promise<Record<string, string>> {
  const { database, vault } = source;
  const stored = await readAgentSecrets(database, row.id);
  if (stored) {
    const opened = openAgentValues(vault, stored);
    if (opened) return opened.values;
    throw badConfiguration(
      'The variables stored for this agent cannot be decrypted with any key of the service. Start another agent.',
    );
  }
  const { variables: ofEnvTemplate, hosts } = await templateContent(row, source);
  const ofAgentTemplate = await agentTemplateVariables(row, hosts, source);
  const variables = { ...ofEnvTemplate, ...ofAgentTemplate };
  if (Object.keys(variables).length === 0) return variables;
  const sealed = sealAgentValues(vault, variables, row, ofAgentTemplate !== undefined);
  const isStored = await insertAgentSecrets(database, row.id, sealed);
  // Another process has just stored values for this agent, or has stopped it.
  if (!isStored) throw new Error(`agent ${row.id} is being started or stopped by another process`);
  return variables;
}

/**
 * Returns the variables with which an agent was started; undefined when they cannot be opened. An agent that an earlier
 * release has started has no stored variables; for such an agent, returns the current ones of its template.
 */
export async function startedValues(
  row: LiveAgentRow,
  source: TemplateSource,
): Promise<Record<string, string> | undefined> {
  const stored = await readAgentSecrets(source.database, row.id);
  return stored ? openAgentValues(source.vault, stored)?.values : await readTemplate(row, source);
}

async function agentTemplateVariables(
  row: LiveAgentRow,
  hosts: Hosts,
  { database }: TemplateSource,
): Promise<Record<string, string> | undefined> {
  if (row.agentTemplateVersion === null) return undefined;
  const template = await templateOfAgent(database, row);
  if (!template) {
    throw badConfiguration(
      'The agent’s agent template, or its version, was deleted. Start another agent.',
    );
  }
  try {
    return templateEnvironment(template, hosts);
  } catch (error) {
    // The hosts are known only now, and count towards the size.
    if (error instanceof AppError) throw badConfiguration(error.detail);
    throw error;
  }
}
