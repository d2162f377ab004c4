import { Id, ListedSession, pageOf, SessionsQuery } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { ReadsInTurn } from '../messages/reads-in-turn.ts';
import { endUserIdOf } from './end-user-id.ts';
import { describeListedSessions } from './session-schema.ts';

const SEARCH_MS = 1200;
const SEARCHES_AT_ONCE = 3;

const params = z.object({ projectId: Id });

export function listSessions(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const search = searchInTurn(deps);
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
    const { userId, params: project, signal } = request;
    const { participant, ...rest } = request.query;
    const endUserId = participant && endUserIdOf(project.projectId, participant);
    const query = { ...rest, ...project, userId, endUserId };
    const isSearch = query.q !== undefined || query.metadata !== undefined;
    const found = await (isSearch ? search(query, signal) : db.listSessions(database, query));
    const { isCursorKnown, sessions, nextCursor } = await authorize(userId, 'read', found);
    if (!isCursorKnown) throw new AppError('invalid_cursor', 'no such session in the project');
    return { items: await describeListedSessions(database, sessions), nextCursor };
  });
}

/** Returns a search that takes turns by project, because a project may have many members and keys. */
function searchInTurn({ authorize, database, timeLimits }: Deps) {
  const reads = new ReadsInTurn(timeLimits.statementMs, SEARCHES_AT_ONCE);
  const unlimited = db.withoutLimit(database);
  return async (query: db.SessionQuery, signal: AbortSignal) => {
    const until = performance.now() + timeLimits.requestMs;
    // Checked before the turn: otherwise each project id that an outsider invents would get turns.
    await authorize(query.userId, 'read', await db.findMembership(database, query));
    // At most as long as the client waits, however late the turn comes.
    const leftMs = () => Math.max(1, Math.min(SEARCH_MS, Math.round(until - performance.now())));
    const read = () => db.searchSessions(unlimited, query, leftMs);
    const waitMs = until - performance.now();
    return await reads.run(query.projectId, read, { waitMs, signal });
  };
}
