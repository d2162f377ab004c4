import { Id, ListedSession, pageOf, SessionsQuery } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { endUserIdOf } from './end-user-id.ts';
import { describeListedSessions } from './session-schema.ts';

const params = z.object({ projectId: Id });

export function listSessions(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: pageOf(ListedSession) };
  const schema = {
    tags: ['sessions'],
    operationId: 'listSessions',
    summary: 'List the sessions of a project, the newest first',
    description:
      'Lists the sessions of a project that match all parameters. A page of a search by `q` or `metadata` may have fewer sessions than `limit`, or none, while `nextCursor` leads on: the list ends where it is null. For members of the project.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params,
    querystring: SessionsQuery,
    response,
  };
  app.get('/projects/:projectId/sessions', { schema }, async (request) => {
    const { userId, params: project } = request;
    const { participant, ...query } = request.query;
    const endUserId = participant && endUserIdOf(project.projectId, participant);
    const found = await db.listSessions(database, { ...query, ...project, userId, endUserId });
    const { isCursorKnown, sessions, nextCursor } = await authorize(userId, 'read', found);
    if (!isCursorKnown) throw new AppError('invalid_cursor', 'no such session in the project');
    return { items: await describeListedSessions(database, sessions), nextCursor };
  });
}
