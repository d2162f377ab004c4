import { insertAgentSecrets, type LiveAgentRow, readAgentSecrets } from '@session/db';
import {
  badConfiguration,
  readTemplate,
  type TemplateSource,
  templateVariables,
} from '../../features/agents/template-variables.ts';

/**
 * Returns the variables with which an agent is started, and stores them before its start. A start that is repeated uses the
 * variables of its first attempt, because that may have created a part of the workload. Throws a LaunchRefused when the
 * variables cannot be used.
 */
export async function valuesForStart(
  row: LiveAgentRow,
  source: TemplateSource,
): Promise<Record<string, string>> {
  const { database, vault } = source;
  const stored = await readAgentSecrets(database, row.id);
  if (stored) {
    const variables = vault.open(stored);
    if (variables) return variables;
    throw badConfiguration(
      'The values with which the agent was to start cannot be read with the current key.',
    );
  }
  const variables = await templateVariables(row, source);
  if (Object.keys(variables).length === 0) return variables;
  const sealed = vault.seal(variables, { id: row.id, projectId: row.projectId });
  const isStored = await insertAgentSecrets(database, row.id, sealed);
  // Another process has just stored values for this agent, or has just stopped it.
  if (!isStored) throw new Error(`agent ${row.id} is being started or stopped by another process`);
  return variables;
}

/**
 * Returns the variables with which an agent was started; undefined when they cannot be opened. An agent that a process of an
 * older version has started has no stored variables: the current ones of its template are the best guess.
 */
export async function startedValues(
  row: LiveAgentRow,
  source: TemplateSource,
): Promise<Record<string, string> | undefined> {
  const stored = await readAgentSecrets(source.database, row.id);
  return stored ? source.vault.open(stored) : await readTemplate(row, source);
}
