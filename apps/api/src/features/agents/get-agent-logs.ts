import type { Readable } from 'node:stream';
import { AgentLog, AgentLogQuery, WholeNumber } from '@session/contract';
import type { AgentLogLine } from '@session/db';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';
import { followAgentLog } from './follow-agent-log.ts';
import { LogFollowers } from './log-followers.ts';
import { itemOf, lastMicrosecondOf, sinceOf } from './log-lines.ts';

const TAIL = 200;
const MOST_LINES = 5000;
/** Also of those who follow: then their token is checked anew. */
const TIMEOUT_MS = 3_600_000;
/** They end by themselves before that. */
const LIFE_MS = TIMEOUT_MS - 60_000;

const stream: z.ZodType<Readable | string, Readable | string> = z.string().meta({
  examples: ['id: 1\ndata: {"timestamp":"2026-11-21T08:00:04.250117Z","line":"ready"}\n\n'],
});
const response = {
  200: {
    description:
      'The lines; as bare text, or as events that follow the log, for those who ask for that. An event has the number of its line as id, and `{timestamp, line}` as data; `complete` is the last, and `gap` tells of lines that are not kept any more',
    content: {
      'application/json': { schema: AgentLog },
      'text/plain': { schema: z.string().meta({ examples: ['ready\n'] }) },
      'text/event-stream': { schema: stream },
    },
  },
};

const headers = z.object({
  'last-event-id': WholeNumber(0, 999_999_999).optional().meta({
    description: 'For those who follow: the last event that they have; they get what came after it',
  }),
});

/** `GET /agents/:agentId/logs`: what the agent wrote, while it runs and after its end. */
export function getAgentLogs(app: ZodApp, { agents, agentLogs, authorize, metrics }: Deps): void {
  const followers = new LogFollowers({ agentLogs });
  const replies = new Set<FastifyReply>();
  metrics.gauge('session_log_followers', 'Clients that follow the log of an agent.', () => {
    return replies.size;
  });
  app.addHook('preClose', async () => {
    await followers[Symbol.asyncDispose]();
    // Those who do not take what they are sent would keep us waiting.
    for (const { raw } of replies) if (raw.writableNeedDrain) raw.destroy();
  });
  const schema = {
    tags: ['agents'],
    operationId: 'getAgentLogs',
    summary: 'What an agent wrote',
    problems: ['not_found'] as const,
    params: agentParams,
    querystring: AgentLogQuery,
    headers,
    response,
  };
  const options = { schema, handlerTimeout: TIMEOUT_MS };
  app.get('/agents/:agentId/logs', options, async (request, reply) => {
    const { userId, params, query, method } = request;
    const { agentId: id } = params;
    const { status } = await authorize(userId, 'read', await agents.findAgent({ id, userId }));
    const type = request.type(['application/json', 'text/plain', 'text/event-stream']);
    if (type === 'text/event-stream' && method === 'GET') {
      const { signal, headers: given } = request;
      const firstLine = await findFirstLine(agentLogs, id, query, given['last-event-id']);
      const following = { agentId: id, userId, firstLine, lifeMs: LIFE_MS, signal };
      replies.add(reply);
      reply.raw.once('close', () => replies.delete(reply));
      return reply
        .type('text/event-stream; charset=utf-8')
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .send(followAgentLog(followers, following));
    }
    const lines = await readLines(agentLogs, id, query);
    if (type === 'text/plain') {
      const text = lines.map(({ line }) => `${line}\n`).join('');
      return reply.type('text/plain; charset=utf-8').send(text);
    }
    const last = lines.at(-1);
    const nextSince = last ? sinceOf(last.at) : (query.since ?? null);
    return reply.send({ items: lines.map(itemOf), nextSince, complete: status === 'Stopped' });
  });
}

async function readLines(
  agentLogs: Deps['agentLogs'],
  id: string,
  { tail, since }: z.output<typeof AgentLogQuery>,
): Promise<AgentLogLine[]> {
  if (since === undefined) return await agentLogs.tailLog(id, tail ?? TAIL);
  const lines = await agentLogs.listLogSince(id, lastMicrosecondOf(since));
  return tail === undefined ? lines.slice(0, MOST_LINES) : lines.slice(-tail);
}

/** Gives the number of the line with which a follower begins. */
async function findFirstLine(
  agentLogs: Deps['agentLogs'],
  id: string,
  { tail = TAIL, since }: z.output<typeof AgentLogQuery>,
  lastEventId: number | undefined,
): Promise<number> {
  if (lastEventId !== undefined) return lastEventId + 1;
  if (since === undefined) return await agentLogs.findTailLine(id, tail);
  return await agentLogs.findLineSince(id, lastMicrosecondOf(since));
}
