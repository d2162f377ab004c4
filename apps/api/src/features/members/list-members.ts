import { Member, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from '../projects/project-schema.ts';

export function listMembers(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(Member) };
  const schema = {
    tags: ['members'],
    operationId: 'listMembers',
    summary: 'List the members of a project, the oldest first',
    description:
      'Lists the members with their roles, names and e-mail addresses. For members only.',
    problems: ['not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  const route = { schema, config: { people: true } };
  app.get('/projects/:id/members', route, async ({ userId, params, query }) => {
    const { limit, cursor } = query;
    const page = { projectId: params.id, userId, after: cursor ?? NIL, limit: limit + 1 };
    const { members } = await authorize(userId, 'read', await db.listMembers(database, page));
    return toPage(members, limit);
  });
}
