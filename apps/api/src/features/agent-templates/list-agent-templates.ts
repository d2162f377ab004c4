import { ListedAgentTemplate, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from './agent-template-schema.ts';

export function listAgentTemplates(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: pageOf(ListedAgentTemplate) };
  const schema = {
    tags: ['agent-templates'],
    operationId: 'listAgentTemplates',
    summary: 'List the agent templates of a project, the newest first',
    description:
      'Lists the templates with the names of their tools, and without their texts. For members of the project.',
    problems: ['not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  app.get('/projects/:projectId/agent-templates', { schema }, async ({ userId, params, query }) => {
    const { projectId } = params;
    await authorize(userId, 'read', await db.findMembership(database, { userId, projectId }));
    const { limit, cursor } = query;
    const page = { projectId, before: cursor ?? MAX, limit: limit + 1 };
    const { items, nextCursor } = toPage(await db.listAgentTemplates(database, page), limit);
    return {
      items: items.map(({ toolNames, mcpServerNames, ...row }) => ({
        ...row,
        toolNames: [...toolNames],
        mcpServerNames: [...mcpServerNames],
      })),
      nextCursor,
    };
  });
}
