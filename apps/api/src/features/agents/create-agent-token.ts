import { AgentConnection, EXTERNAL_ROLE } from '@session/contract';
import { connectionLines } from '@session/contract/room';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { connectionOf, LINES } from './agent-connection.ts';
import { agentParams } from './agent-schema.ts';

export function createAgentToken(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const description = 'The variables with which the agent joins its room, within ten minutes';
  const content = {
    'application/json': { schema: AgentConnection },
    'text/plain': { schema: LINES },
  };
  const response = { 201: { description, content } };
  const schema = {
    tags: ['agents'],
    operationId: 'createAgentToken',
    summary: 'Create the next token of an external agent',
    description:
      'For the account that started an external agent, until the agent has stopped. Returns what its start returned as `connect`, with a new token and what was said since. An agent in its room needs no new token, because LiveKit renews it there. With `Accept: text/plain` the answer is the lines of a file `.env`.',
    problems: ['forbidden', 'not_found', 'conflict'] as const,
    params: agentParams,
    response,
  };
  app.post('/agents/:agentId/token', { schema }, async (request, reply) => {
    const { userId, params } = request;
    const found = await db.findAgent(database, { id: params.agentId, userId });
    const agent = await authorize(userId, 'read', found);
    if (agent.role !== EXTERNAL_ROLE) {
      const detail =
        'The service runs this agent and gives it its tokens. To run an agent yourself, start one with the role external.';
      throw new AppError('conflict', 'not an external agent', { detail });
    }
    await authorize(userId, 'joinAsAgent', found);
    if (agent.status === 'Stopped' || agent.desired === 'stopped') {
      const detail = 'The agent has stopped. Start another one.';
      throw new AppError('conflict', 'the agent has stopped', { detail });
    }
    const connect = await connectionOf(agent, deps);
    void reply.code(201).header('cache-control', 'no-store');
    if (request.type(['application/json', 'text/plain']) !== 'text/plain') {
      return reply.send(connect);
    }
    return reply.type('text/plain; charset=utf-8').send(connectionLines(connect));
  });
}
