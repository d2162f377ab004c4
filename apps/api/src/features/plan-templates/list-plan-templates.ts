import { PageQuery, PlanTemplate, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { planTemplateOf, projectParams } from './plan-template-schema.ts';

export function listPlanTemplates(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: pageOf(PlanTemplate) };
  const schema = {
    tags: ['plan-templates'],
    operationId: 'listPlanTemplates',
    summary: 'List the plan templates of a project, the newest first',
    description: 'Lists the plans of a project with their steps. For members of the project.',
    problems: ['not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  app.get('/projects/:projectId/plan-templates', { schema }, async ({ userId, params, query }) => {
    const { projectId } = params;
    await authorize(userId, 'read', await db.findMembership(database, { userId, projectId }));
    const { limit, cursor } = query;
    const page = { projectId, before: cursor ?? MAX, limit: limit + 1 };
    const { items, nextCursor } = toPage(await db.listPlanTemplates(database, page), limit);
    return { items: items.map(planTemplateOf), nextCursor };
  });
}
