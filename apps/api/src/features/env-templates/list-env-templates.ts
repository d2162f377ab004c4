import { EnvTemplate, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { envTemplateOf, projectParams } from './env-template-schema.ts';

export function listEnvTemplates(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: pageOf(EnvTemplate) };
  const schema = {
    tags: ['env-templates'],
    operationId: 'listEnvTemplates',
    summary: 'List the environment templates of a project, the newest first',
    description:
      'Lists the names of variables in each template. Their values are never returned. For members of the project.',
    problems: ['not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  app.get('/projects/:projectId/env-templates', { schema }, async ({ userId, params, query }) => {
    const { projectId } = params;
    await authorize(userId, 'read', await db.findMembership(database, { userId, projectId }));
    const { limit, cursor } = query;
    const page = { projectId, before: cursor ?? MAX, limit: limit + 1 };
    const { items, nextCursor } = toPage(await db.listEnvTemplates(database, page), limit);
    return { items: items.map(envTemplateOf), nextCursor };
  });
}
