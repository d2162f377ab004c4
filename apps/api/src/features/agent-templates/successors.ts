import { AgentTemplateDefinition } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';

interface HandingOver {
  readonly projectId: string;
  readonly id?: string;
  readonly definition: Pick<AgentTemplateDefinition, 'handover' | 'variables'>;
}

/**
 * Throws `invalid_request` when a handover names the template itself, an agent template that the project does not have,
 * or an agent template that requires a value for which this template has no variable.
 */
export async function assertSuccessors(
  database: db.DatabaseAccess,
  { projectId, id, definition: { handover, variables } }: HandingOver,
): Promise<void> {
  const own = new Set(variables.map((variable) => variable.name));
  for (const [index, { agentTemplateId: templateId, name }] of (handover?.agents ?? []).entries()) {
    const refuse = (fault: string) => {
      const detail = `handover.agents.${index}: ${fault}`;
      const field = `body.handover.agents.${index}.agentTemplateId`;
      throw new AppError('invalid_request', 'a handover cannot work', { detail, field });
    };
    if (templateId === id) refuse(`“${name}” is this agent template itself. Name another one.`);
    const key = { projectId, templateId, version: null };
    const found = await db.findAgentTemplateVersion(database, key);
    if (!found) {
      return refuse(
        `the project has no agent template ${templateId} for “${name}”. Create it first, or name another one.`,
      );
    }
    const needed = AgentTemplateDefinition.parse(found.definition).variables;
    const missing = needed.filter((variable) => variable.required && !own.has(variable.name));
    if (missing.length === 0) continue;
    const names = missing.map((variable) => variable.name).join(', ');
    refuse(
      `the agent template of “${name}” requires a value for ${names}. Add variables of these names to this template, or make them optional there.`,
    );
  }
}
