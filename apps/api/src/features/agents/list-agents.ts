import { Agent, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentOf, sessionParams } from './agent-schema.ts';

export function listAgents(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(Agent) };
  const schema = {
    tags: ['agents'],
    operationId: 'listAgents',
    summary: 'List the agents of a session, the newest first',
    description: 'Lists the agents of a session, those that have ended too.',
    problems: ['not_found'] as const,
    params: sessionParams,
    querystring: PageQuery,
    response,
  };
  app.get('/sessions/:sessionId/agents', { schema }, async ({ userId, params, query }) => {
    const { sessionId } = params;
    await authorize(userId, 'read', await db.findSession(database, { id: sessionId, userId }));
    const { limit, cursor } = query;
    const page = { sessionId, before: cursor ?? MAX, limit: limit + 1 };
    const { items, nextCursor } = toPage(await db.listAgents(database, page), limit);
    return { items: items.map(agentOf), nextCursor };
  });
}
