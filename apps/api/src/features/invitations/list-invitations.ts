import { Invitation, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from '../projects/project-schema.ts';

export function listInvitations(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(Invitation) };
  const schema = {
    tags: ['invitations'],
    operationId: 'listInvitations',
    summary: 'List the open invitations of a project, the newest first',
    description: 'For an ADMIN or an OWNER. Links are not shown again.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  const route = { schema, config: { people: true } };
  app.get('/projects/:id/invitations', route, async ({ userId, params, query }) => {
    const { limit, cursor } = query;
    const page = { projectId: params.id, userId, before: cursor ?? MAX, limit: limit + 1 };
    const found = await db.listInvitations(database, page);
    const { invitations } = await authorize(userId, 'addMember', found);
    return toPage(invitations, limit);
  });
}
