import { AgentPreflight, EXTERNAL_ROLE, NewAgent, StartedAgent } from '@session/contract';
import { connectionLines } from '@session/contract/room';
import * as db from '@session/db';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { connectionOf, LINES } from './agent-connection.ts';
import { agentOf, sessionParams } from './agent-schema.ts';
import { insertAgentOnce } from './insert-agent-once.ts';
import { findProblems } from './preflight.ts';

const CODES = [
  'unknown_role',
  'not_found',
  'env_template_required',
  'missing_variable',
  'session_closed',
  'agent_already_running',
  'agent_capacity',
  'service_agent_capacity',
  'too_many_requests',
  ...IDEMPOTENCY_CODES,
] as const;

/** Each dry run may contact an endpoint that the user chose. */
const DRY_RUNS_PER_MINUTE = 30;

const querystring = z.strictObject({
  dryRun: z.enum(['true', 'false']).optional().meta({
    description:
      'With `true` no agent is started. The response is 200 with everything that would keep the agent from starting',
  }),
});

/** A start only writes the agent's row, which wakes the reconciler. */
export function startAgent(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const content = { 'application/json': { schema: StartedAgent }, 'text/plain': { schema: LINES } };
  const response = { 200: AgentPreflight, 201: { content } };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['agents'],
    operationId: 'startAgent',
    summary: 'Start an agent in a session',
    description:
      'Answers as soon as the start is requested, with the agent as `Starting`. The service does not run an agent with the role `external`: `connect` has the variables with which it joins its room. With `Accept: text/plain` the answer is these variables alone, as the lines of a file `.env`. With `dryRun=true` nothing starts, and the answer lists everything that would prevent the start. Each user may send 30 dry runs a minute.',
    problems: CODES,
    headers,
    params: sessionParams,
    querystring,
    body: NewAgent,
    response,
  };
  // A dry run also waits for the media server, the launcher, models and MCP servers.
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: limitedByUser(DRY_RUNS_PER_MINUTE, isDryRun),
  };
  app.post('/sessions/:sessionId/agents', route, async (request, reply) => {
    const { userId, params, body, query } = request;
    const { sessionId } = params;
    const session = await db.findSession(database, { id: sessionId, userId });
    const { projectId, status } = await authorize(userId, 'startAgent', session);
    if (query.dryRun === 'true') {
      const target = { sessionId, projectId, status };
      const { problems, reach = null } = await findProblems(target, body, deps);
      return reply.code(200).send({ ok: problems.length === 0, problems, reach });
    }
    const id = await insertAgentOnce(deps, request, { sessionId, projectId, status }, body);
    const row = await authorize(userId, 'read', await db.findAgent(database, { id, userId }));
    const isShown = row.role === EXTERNAL_ROLE && !request.isReplayed;
    const connect = isShown ? await connectionOf(row, deps) : null;
    void reply.code(201).header('location', `/agents/${id}`).header('cache-control', 'no-store');
    if (!connect || request.type(['application/json', 'text/plain']) !== 'text/plain') {
      return reply.send({ ...agentOf(row), connect });
    }
    return reply.type('text/plain; charset=utf-8').send(connectionLines(connect));
  });
}

function isDryRun({ query }: FastifyRequest): boolean {
  return querystring.safeParse(query).data?.dryRun === 'true';
}
