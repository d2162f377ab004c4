import { AgentLog, AgentLogQuery } from '@session/contract';
import type { AgentLogLine } from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { agentParams } from './agent-schema.ts';

const response = {
  200: {
    description: 'The lines; as bare text for those who ask for that',
    content: {
      'application/json': { schema: AgentLog },
      'text/plain': { schema: z.string() },
    },
  },
  ...failures('not_found'),
};

/** `GET /agents/:agentId/logs`: what the agent wrote, while it runs and after its end. */
export function getAgentLogs(app: ZodApp, { agents, agentLogs, authorize }: Deps): void {
  const schema = { params: agentParams, querystring: AgentLogQuery, response };
  app.get('/agents/:agentId/logs', { schema }, async (request, reply) => {
    const { userId, params, query } = request;
    const { agentId: id } = params;
    const { status } = await authorize(userId, 'read', await agents.findAgent({ id, userId }));
    const lines =
      query.since === undefined
        ? await agentLogs.tailLog(id, query.tail)
        : (await agentLogs.listLogSince(id, microsecondsOf(query.since))).slice(-query.tail);
    if (request.headers.accept?.startsWith('text/plain')) {
      return reply
        .type('text/plain; charset=utf-8')
        .send(lines.map(({ line }) => `${line}\n`).join(''));
    }
    return reply.send({ items: lines.map(itemOf), complete: status === 'Stopped' });
  });
}

/** Lines are told apart to the microsecond: a `since` that was a line's `timestamp` must not give that line again. */
function itemOf({ at, line }: AgentLogLine): AgentLog['items'][number] {
  const seconds = new Date(Math.floor(at / 1000)).toISOString().slice(0, -1);
  return { timestamp: `${seconds}${String(at % 1000).padStart(3, '0')}Z`, line };
}

function microsecondsOf(time: string): number {
  const [, digits = ''] = /\.(\d+)/.exec(time) ?? [];
  const wholeSeconds = Date.parse(time.replace(/\.\d+/, ''));
  return wholeSeconds * 1000 + Number(digits.slice(0, 6).padEnd(6, '0'));
}
