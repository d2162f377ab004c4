import { PlanTemplate } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { planTemplateOf, templateParams } from './plan-template-schema.ts';

export function getPlanTemplate(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: PlanTemplate };
  const schema = {
    tags: ['plan-templates'],
    operationId: 'getPlanTemplate',
    summary: 'Get a plan template with its steps',
    description: 'Returns the plan with all its steps. For members of the project.',
    problems: ['not_found'] as const,
    params: templateParams,
    response,
  };
  app.get('/plan-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findPlanTemplate(database, { id, userId });
    return replyTagged(reply, planTemplateOf(await authorize(userId, 'read', found)));
  });
}
