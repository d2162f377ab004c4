import { Id, ListedSession, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeListedSessions } from './session-schema.ts';

const params = z.object({ projectId: Id });
const querystring = PageQuery.extend({ status: z.enum(['ACTIVE', 'CLOSED']).optional() });

export function listSessions(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: pageOf(ListedSession) };
  const schema = {
    tags: ['sessions'],
    operationId: 'listSessions',
    summary: 'List the sessions of a project, the newest first',
    description:
      'Lists the sessions of a project, ACTIVE and CLOSED ones, or those of one `status`. For members of the project.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params,
    querystring,
    response,
  };
  app.get('/projects/:projectId/sessions', { schema }, async (request) => {
    const { userId, params: project, query } = request;
    const page = { ...project, userId, status: query.status, cursor: query.cursor };
    const found = await db.listSessions(database, { ...page, limit: query.limit + 1 });
    const { isCursorKnown, sessions: rows } = await authorize(userId, 'read', found);
    if (!isCursorKnown) throw new AppError('invalid_cursor', 'no such session in the project');
    const { items, nextCursor } = toPage(rows, query.limit);
    return { items: await describeListedSessions(database, items), nextCursor };
  });
}
