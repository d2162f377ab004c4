import { Agent } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentOf, agentParams } from './agent-schema.ts';

export function stopAgent(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: Agent };
  const schema = {
    tags: ['agents'],
    operationId: 'stopAgent',
    summary: 'Stop an agent',
    description:
      'For the user who started the agent, or an ADMIN. The agent leaves the room and ends. Stopping it once more changes nothing.',
    problems: ['forbidden', 'not_found'] as const,
    params: agentParams,
    response,
  };
  app.delete('/agents/:agentId', { schema }, async ({ userId, params: { agentId: id } }) => {
    await authorize(userId, 'stopAgent', await db.findAgent(database, { id, userId }));
    await db.requestAgentStop(database, id, 'requested', userId);
    return agentOf(await authorize(userId, 'read', await db.findAgent(database, { id, userId })));
  });
}
