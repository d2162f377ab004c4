import type { Readable } from 'node:stream';
import { AgentLog, AgentLogQuery, EXTERNAL_ROLE, WholeNumber } from '@session/contract';
import type { AgentLogLine } from '@session/db';
import * as db from '@session/db';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';
import { followAgentLog } from './follow-agent-log.ts';
import { LogFollowers } from './log-followers.ts';
import { itemOf, lastMicrosecondOf, sinceOf } from './log-lines.ts';

const DEFAULT_TAIL = 200;
/** Limits JSON answers, whose `nextSince` leads to the next lines. Plain text has every line that was asked for, about 1 MiB at most. */
const MAX_LINES = 5000;
const TIMEOUT_MS = 3_600_000;
/** Clients that follow a log must reconnect after this time, so that the expiry of their token is checked again. */
const LIFE_MS = TIMEOUT_MS - 60_000;

const stream: z.ZodType<Readable | string, Readable | string> = z.string().meta({
  examples: ['id: 1\ndata: {"timestamp":"2026-11-21T08:00:04.250117Z","line":"ready"}\n\n'],
});
const response = {
  200: {
    description:
      'The lines: as JSON, as plain text, or as events that follow the log, depending on the `Accept` header. The id of an event is the number of its line, and its data is `{timestamp, line}`. The event `complete` is the last one, and `gap` stands for lines that are no longer stored',
    content: {
      'application/json': { schema: AgentLog },
      'text/plain': { schema: z.string().meta({ examples: ['ready\n'] }) },
      'text/event-stream': { schema: stream },
    },
  },
};

const headers = z.object({
  'last-event-id': WholeNumber(0, 999_999_999).optional().meta({
    description:
      'For clients that follow the log: the id of the last event that they received. The stream continues with the next line',
  }),
});

export function getAgentLogs(app: ZodApp, { authorize, database, metrics }: Deps): void {
  const followers = new LogFollowers({
    agentLogs: db.bind(database, { listLogFrom: db.listLogFrom, lookAtLogs: db.lookAtLogs }),
  });
  const replies = new Set<FastifyReply>();
  metrics.gauge('session_log_followers', 'Clients that follow the log of an agent.', () => {
    return replies.size;
  });
  app.addHook('preClose', async () => {
    await followers[Symbol.asyncDispose]();
    // A client that does not read its response would delay the shutdown.
    for (const { raw } of replies) if (raw.writableNeedDrain) raw.destroy();
  });
  const schema = {
    tags: ['agents'],
    operationId: 'getAgentLogs',
    summary: 'Read the log of an agent',
    description:
      'Returns the last lines of what the agent wrote, also after it has ended. Values of its environment template are masked. With `Accept: text/event-stream` the log is followed, with `Accept: text/plain` the bare lines are returned.',
    problems: ['not_found'] as const,
    params: agentParams,
    querystring: AgentLogQuery,
    headers,
    response,
  };
  const options = { schema, handlerTimeout: TIMEOUT_MS, config: { long: 'cut' as const } };
  app.get('/agents/:agentId/logs', options, async (request, reply) => {
    const { userId, params, query, method } = request;
    const { agentId: id } = params;
    const { status, role } = await authorize(
      userId,
      'read',
      await db.findAgent(database, { id, userId }),
    );
    const type = request.type(['application/json', 'text/plain', 'text/event-stream']);
    if (type === 'text/event-stream' && method === 'GET') {
      const { signal, headers: given } = request;
      const firstLine = await findFirstLine(database, id, query, given['last-event-id']);
      const logRequest = { agentId: id, userId, firstLine, lifeMs: LIFE_MS, signal };
      replies.add(reply);
      reply.raw.once('close', () => replies.delete(reply));
      return reply
        .type('text/event-stream; charset=utf-8')
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .send(followAgentLog(followers, logRequest));
    }
    const stored = await readLines(database, id, query);
    if (type === 'text/plain') {
      const text = stored.map(({ line }) => `${line}\n`).join('');
      return reply.type('text/plain; charset=utf-8').send(text);
    }
    const lines = stored.slice(0, MAX_LINES);
    const last = lines.at(-1);
    const nextSince = last ? sinceOf(last.at) : (query.since ?? null);
    const source = role === EXTERNAL_ROLE ? 'none' : 'program';
    const complete = status === 'Stopped' && lines.length === stored.length;
    return reply.send({ items: lines.map(itemOf), nextSince, complete, source });
  });
}

async function readLines(
  database: db.DatabaseAccess,
  id: string,
  { tail, since }: z.output<typeof AgentLogQuery>,
): Promise<AgentLogLine[]> {
  if (since === undefined) return await db.tailLog(database, id, tail ?? DEFAULT_TAIL);
  const lines = await db.listLogSince(database, id, lastMicrosecondOf(since));
  return tail === undefined ? lines : lines.slice(-tail);
}

async function findFirstLine(
  database: db.DatabaseAccess,
  id: string,
  { tail = DEFAULT_TAIL, since }: z.output<typeof AgentLogQuery>,
  lastEventId: number | undefined,
): Promise<number> {
  if (lastEventId !== undefined) return lastEventId + 1;
  if (since === undefined) return await db.findTailLine(database, id, tail);
  return await db.findLineSince(database, id, lastMicrosecondOf(since));
}
