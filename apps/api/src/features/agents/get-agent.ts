import { Agent } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentOf, agentParams } from './agent-schema.ts';

export function getAgent(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'getAgent',
    summary: 'Get an agent',
    description:
      'Returns the agent with its status: `Starting`, `Running` or `Stopped`, and why it ended.',
    problems: ['not_found'] as const,
    params: agentParams,
    response: { 200: Agent },
  };
  app.get('/agents/:agentId', { schema }, async ({ userId, params: { agentId: id } }) => {
    return agentOf(await authorize(userId, 'read', await db.findAgent(database, { id, userId })));
  });
}
