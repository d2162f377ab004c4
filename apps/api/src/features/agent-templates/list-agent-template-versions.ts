import { ListedAgentTemplateVersion, PageQuery, pageOf, WholeNumber } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateParams } from './agent-template-schema.ts';

const MAX_VERSION = 999_999_999;

const querystring = PageQuery.extend({
  cursor: WholeNumber(1, MAX_VERSION).optional().describe('The `nextCursor` of the previous page'),
});

export function listAgentTemplateVersions(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['agent-templates'],
    operationId: 'listAgentTemplateVersions',
    summary: 'List the versions of an agent template, the newest first',
    description:
      'Lists who wrote which version and when. A template keeps its newest 50 versions, and those with which agents run. For members of the project.',
    problems: ['not_found'] as const,
    params: templateParams,
    querystring,
    response: { 200: pageOf(ListedAgentTemplateVersion) },
  };
  app.get('/agent-templates/:id/versions', { schema }, async ({ userId, params, query }) => {
    const { id } = params;
    await authorize(userId, 'read', await db.findAgentTemplate(database, { id, userId }));
    const { limit, cursor = MAX_VERSION + 1 } = query;
    const page = { templateId: id, before: cursor, limit: limit + 1 };
    const rows = await db.listAgentTemplateVersions(database, page);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? String(last.version) : null };
  });
}
