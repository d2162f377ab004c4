import type { AgentType } from '@session/agents';
import { AppError } from '@session/kit';
import { validate } from 'uuid';
import type { Deps } from '../../deps.ts';

/** Where an agent is to be started, and which template was named. */
interface Choice {
  readonly projectId: string;
  readonly id: string | null | undefined;
}

/**
 * Gives the id of the template whose variables an agent of `type` gets: the one that was named, else the project's default,
 * else its only one, else null. Throws `not_found` when it is not the project's, and `env_template_required` when it lacks
 * what the type needs.
 */
export async function chooseEnvTemplate(
  type: AgentType,
  { projectId, id }: Choice,
  { envTemplates }: Pick<Deps, 'envTemplates'>,
): Promise<string | null> {
  if (id && !validate(id)) throw notFound('template of variables');
  const template = await envTemplates.chooseEnvTemplate({ projectId, id: id || null });
  if (id && !template) throw notFound('template of variables');
  const missing = type.requiredVariables.filter((name) => !template?.keys.includes(name));
  if (missing.length === 0) return template?.id ?? null;
  const needs = `The role ${type.role} needs ${missing.join(', ')}`;
  const detail = template
    ? `${needs}: the template “${template.name}” lacks that. Add it, or name another.`
    : `${needs}: name a template of variables. The project has neither a default nor exactly one.`;
  throw new AppError('env_template_required', 'variables are missing', { detail });
}

/** Gives the id of the plan that was named, or null. Throws `not_found` when it is not the project's. */
export async function choosePlan(
  { projectId, id }: Choice,
  { planTemplates }: Pick<Deps, 'planTemplates'>,
): Promise<string | null> {
  if (!id) return null;
  const plan = validate(id) ? await planTemplates.readPlanTemplate(id) : undefined;
  if (plan?.projectId !== projectId) throw notFound('plan template');
  return plan.id;
}

function notFound(what: string): AppError {
  const detail = `The project has no such ${what}: name one of its own.`;
  return new AppError('not_found', `no such ${what}`, { detail });
}
