import { PageQuery, ProjectSummary, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';

export function listProjects(app: ZodApp, { database }: Deps): void {
  const schema = {
    tags: ['projects'],
    operationId: 'listProjects',
    summary: 'List my projects, the newest first',
    description: 'Lists the projects that you are a member of, with your role in each.',
    querystring: PageQuery,
    response: { 200: pageOf(ProjectSummary) },
  };
  app.get('/projects', { schema }, async ({ userId, query: { limit, cursor } }) => {
    const page = { userId, before: cursor ?? MAX, limit: limit + 1 };
    const found = await db.listProjects(database, page);
    if (!found) throw accountGone();
    return toPage(found, limit);
  });
}
