import { EndUser, EndUsersQuery, Id, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { endUserIdOf } from '../sessions/end-user-id.ts';

const params = z.object({ projectId: Id });

export function listEndUsers(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(EndUser) };
  const schema = {
    tags: ['projects'],
    operationId: 'listEndUsers',
    summary: 'List the end users of a project, the newest first',
    description:
      'An end user is listed from the first token on. The list of sessions finds their sessions by `participant`.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params,
    querystring: EndUsersQuery,
    response,
  };
  app.get('/projects/:projectId/end-users', { schema }, async ({ userId, params: path, query }) => {
    const { projectId } = path;
    const { limit, cursor, externalId } = query;
    const id = externalId === undefined ? undefined : endUserIdOf(projectId, externalId);
    const page = { projectId, userId, cursor, id, limit: limit + 1 };
    const found = await authorize(userId, 'read', await db.listEndUsers(database, page));
    if (!found.isCursorKnown) {
      throw new AppError('invalid_cursor', 'no such end user in the project');
    }
    return toPage(
      found.endUsers.map((endUser) => ({ projectId, ...endUser })),
      limit,
    );
  });
}
