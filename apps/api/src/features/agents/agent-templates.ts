import { type AgentRole, requiredVariables } from '@session/agents';
import { AgentTemplateDefinition, type NewAgent } from '@session/contract';
import {
  type RunTemplate,
  templateEnvironment,
  variableValues,
} from '@session/conversation/template';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { validate } from 'uuid';

interface TemplateChoice {
  readonly projectId: string;
  readonly id: string | null | undefined;
}

/**
 * Returns the id of the environment template for an agent of `role`: the named one, otherwise the default, otherwise
 * the only one, otherwise null. Throws `not_found`, and `env_template_required` when variables are missing.
 */
export async function chooseEnvTemplate(
  database: db.DatabaseAccess,
  role: AgentRole,
  { projectId, id }: TemplateChoice,
): Promise<string | null> {
  if (id && !validate(id)) throw notFound('environment template');
  const template = await db.chooseEnvTemplate(database, { projectId, id: id || null });
  if (id && !template) throw notFound('environment template');
  const missing = requiredVariables(role).filter((name) => !template?.keys.includes(name));
  if (missing.length === 0) return template?.id ?? null;
  const needs = `The role ${role.name} needs ${missing.join(', ')}`;
  const detail = template
    ? `${needs}, which the template “${template.name}” lacks. Complete the template, or name another one.`
    : `${needs}. Name an environment template. Without a name, the project’s default template is used, or its only one; this project has neither.`;
  throw new AppError('env_template_required', 'variables are missing', { detail });
}

export async function choosePlan(
  database: db.DatabaseAccess,
  { projectId, id }: TemplateChoice,
): Promise<string | null> {
  if (!id) return null;
  const plan = validate(id) ? await db.readPlanTemplate(database, id) : undefined;
  if (plan?.projectId !== projectId) throw notFound('plan template');
  return plan.id;
}

export interface ChosenTemplate extends RunTemplate {
  readonly version: number;
  readonly role: string;
}

/**
 * Returns the requested version of an agent template, by default the newest, with the values of its variables; undefined
 * if the request names no template. Throws `not_found`, `missing_variable` and `invalid_request`.
 */
export async function chooseAgentTemplate(
  database: db.DatabaseAccess,
  projectId: string,
  { agentTemplateId: id, agentTemplateVersion, variables }: NewAgent,
): Promise<ChosenTemplate | undefined> {
  if (!id) return undefined;
  const key = { projectId, templateId: id, version: agentTemplateVersion ?? null };
  const found = validate(id) ? await db.findAgentTemplateVersion(database, key) : undefined;
  if (!found) {
    throw agentTemplateVersion === undefined
      ? notFound('agent template')
      : versionNotFound(agentTemplateVersion);
  }
  const definition = AgentTemplateDefinition.parse(found.definition);
  const values = variableValues(definition, variables);
  const { name, version, role } = found;
  const chosen = { id, name, version, role, definition, values };
  templateEnvironment(chosen, {});
  return chosen;
}

export async function templateOfAgent(
  database: db.DatabaseAccess,
  { id, agentTemplateId }: Pick<db.AgentRow, 'agentTemplateId' | 'id'>,
): Promise<RunTemplate | undefined> {
  const found = await db.readVersionOfAgent(database, id);
  if (!found || agentTemplateId === null) return undefined;
  const definition = AgentTemplateDefinition.parse(found.definition);
  return { id: agentTemplateId, name: found.name, definition, values: found.variables };
}

function versionNotFound(version: number): AppError {
  const detail = `The project has no agent template with this id and the version ${version}. Leave out \`agentTemplateVersion\` for the newest one.`;
  return new AppError('not_found', 'no such version of an agent template', { detail });
}

function notFound(kind: string): AppError {
  const detail = `The project has no ${kind} with this id. Send the id of one of the project’s ${kind}s.`;
  return new AppError('not_found', `no such ${kind}`, { detail });
}
