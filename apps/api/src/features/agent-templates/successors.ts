import type { AgentTemplateChange } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';

/** Throws `invalid_request` when a handover names an agent template that the project does not have. */
export async function assertSuccessors(
  database: db.DatabaseAccess,
  projectId: string,
  { handover }: Pick<AgentTemplateChange, 'handover'>,
): Promise<void> {
  for (const { agentTemplateId: templateId, name } of handover?.agents ?? []) {
    const key = { projectId, templateId, version: null };
    if (await db.findAgentTemplateVersion(database, key)) continue;
    const detail = `handover.agents: the project has no agent template ${templateId} for “${name}”. Create it first, or name another one.`;
    throw new AppError('invalid_request', 'a handover names an unknown template', { detail });
  }
}
