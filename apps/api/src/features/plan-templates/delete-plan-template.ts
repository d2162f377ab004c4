import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateParams } from './plan-template-schema.ts';

export function deletePlanTemplate(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['plan-templates'],
    operationId: 'deletePlanTemplate',
    summary: 'Delete a plan template',
    description: 'Agents that run already keep the plan that they started with. For an ADMIN.',
    problems: ['forbidden', 'not_found'] as const,
    params: templateParams,
    response,
  };
  app.delete('/plan-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findPlanTemplate(database, { id, userId });
    const template = await authorize(userId, 'writeTemplates', found);
    await db.deletePlanTemplate(database, template, userId);
    return reply.code(204).send(null);
  });
}
