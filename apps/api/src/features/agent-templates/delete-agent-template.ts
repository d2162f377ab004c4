import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateParams } from './agent-template-schema.ts';

export function deleteAgentTemplate(
  app: ZodApp,
  { authorize, database, inProjectTurn }: Deps,
): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['agent-templates'],
    operationId: 'deleteAgentTemplate',
    summary: 'Delete an agent template',
    description:
      'Deletes the template with all its versions, once no agent uses it that has not stopped. For an ADMIN.',
    problems: ['forbidden', 'not_found', 'template_in_use'] as const,
    params: templateParams,
    response,
  };
  app.delete('/agent-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findAgentTemplate(database, { id, userId });
    const template = await authorize(userId, 'writeTemplates', found);
    const outcome = await inProjectTurn(template.projectId, userId, (unlimited) =>
      db.deleteAgentTemplate(unlimited, template, userId),
    );
    if (outcome === 'in_use') throw new AppError('template_in_use', 'live agents use the template');
    return reply.code(204).send(null);
  });
}
