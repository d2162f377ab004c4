import { CreatedSession, Id, NewAgent, NewSession } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import { allowLonger } from '../../http/plugins/request-limit.ts';
import { problemOfPart } from '../../http/problems/problems.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentOf } from '../agents/agent-schema.ts';
import { insertAgentOnce } from '../agents/insert-agent-once.ts';
import { assertMayAsk, issueToken } from './issue-token.ts';
import { describeSession } from './session-schema.ts';
import { tokenRequest, wishOf } from './token-body.ts';

const MAX_AGENTS = 5;

const params = z.object({ projectId: Id });

const requested = NewSession.extend({
  agents: z
    .array(NewAgent)
    .max(MAX_AGENTS)
    .optional()
    .describe('Agents to start in the session, each as by `POST /sessions/{id}/agents`'),
  token: tokenRequest
    .optional()
    .describe('A token for the session, as by `POST /sessions/{id}/token`'),
}).meta({
  examples: [
    {
      name: 'Hello',
      metadata: { customer: 'c-17' },
      externalId: 'order-4711',
      agents: [{ role: 'echo-agent' }],
      token: { participant: { id: 'customer-7', name: 'Ada' } },
    },
  ],
});

/** Ends a creation that found a session with its external id. Nothing is stored, so an `Idempotency-Key` stays free. */
class SessionFound extends Error {
  readonly id: string;

  constructor(id: string) {
    super('a session of the project has the external id');
    this.id = id;
  }
}

export function createSession(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const { limits } = config;
  const schema = {
    tags: ['sessions'],
    operationId: 'createSession',
    summary: 'Create a session',
    description:
      'Creates an ACTIVE session. A recorder joins its room within seconds, and `recording` of the session says when. Open its room with `POST /sessions/{id}/token`. If a session of the project already has this `externalId`, the answer is that session as it is, with 200: nothing is created or changed, whatever else the body says about it, and the session may be CLOSED. A request that creates nothing leaves its `Idempotency-Key` free.\n\nWith `agents` and `token` the session is ready to talk in: the answer has each agent, or the problem for which it was not started, and the token. The session stands even when no agent is started, and they are started in a session that was there already, too. A repeat with the same `Idempotency-Key` starts only those agents that were not started yet.',
    problems: [
      'forbidden',
      'not_found',
      'session_capacity',
      'session_closed',
      ...IDEMPOTENCY_CODES,
    ] as const,
    headers: idempotencyHeaders,
    params,
    body: requested,
    response: { 200: CreatedSession, 201: CreatedSession },
    located: [200],
  };
  app.post('/projects/:projectId/sessions', { schema }, async (request, reply) => {
    const { userId, params: project } = request;
    const { agents, token, ...body } = request.body;
    if (agents || token) allowLonger(request, reply, LONG_REQUEST_MS);
    const key = { userId, projectId: project.projectId };
    const membership = await db.findMembership(database, key);
    const member = await authorize(userId, 'createSession', membership);
    if (agents) await authorize(userId, 'startAgent', member);
    // The caller cannot have the id of a session that does not exist yet.
    const wish = token && wishOf(token, '');
    if (wish) await assertMayAsk(deps, request, member, wish);
    const former = await findFormer(database, request);
    const create = async () =>
      await createOnce(request, async (transaction, newId) => {
        const row = { id: newId, ...project, ...body, createdBy: userId };
        const outcome = await db.insertSession(transaction, row, limits.sessions);
        if (typeof outcome === 'object') throw new SessionFound(outcome.former);
        assertWithinLimits(outcome, limits);
      });
    const { id, status } =
      former === undefined ? await created(create()) : ({ id: former, status: 200 } as const);
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    const issued = wish && (await issueToken(app, deps, request, activeOf(row, request), wish));
    const started = agents && (await startAgents(deps, request, row, agents));
    const session = await describeSession(database, row);
    return reply
      .code(status)
      .header('location', `/sessions/${id}`)
      .send({
        ...session,
        ...(started && { agents: started }),
        ...(issued && { token: issued }),
      });
  });
}

function activeOf(
  session: db.SessionRow,
  { body: { externalId }, isReplayed }: Pick<Request, 'body' | 'isReplayed'>,
): db.SessionRow {
  const { id, status } = session;
  if (status !== 'CLOSED') return session;
  const again = isReplayed ? 'with a new Idempotency-Key' : 'again';
  const detail =
    isReplayed && session.externalId !== externalId
      ? `This Idempotency-Key created the session ${id}, which is closed. Send this request ${again}.`
      : `The closed session ${id} has this \`externalId\`. Remove the id from that session with PATCH /sessions/${id} and \`{"externalId": null}\`, then send this request ${again}.`;
  throw new AppError('session_closed', 'the session of the request is closed', { detail });
}

const TEMPORARY = new Set<string>(['unavailable', 'idempotency_in_progress']);

type Request = FastifyRequest<{
  Headers: z.output<typeof idempotencyHeaders>;
  Params: z.output<typeof params>;
  Body: z.output<typeof requested>;
}>;

async function findFormer(
  database: db.DatabaseAccess,
  {
    headers,
    params: { projectId },
    body: { externalId },
  }: Pick<Request, 'body' | 'headers' | 'params'>,
): Promise<string | undefined> {
  if (headers['idempotency-key'] !== undefined || externalId === undefined) return undefined;
  return await db.findSessionOfExternalId(database, projectId, externalId);
}

async function startAgents(
  deps: Deps,
  request: FastifyRequest<{ Headers: z.output<typeof idempotencyHeaders> }>,
  { id: sessionId, projectId, status }: db.SessionRow,
  agents: readonly NewAgent[],
): Promise<NonNullable<CreatedSession['agents']>> {
  const { authorize, database } = deps;
  const { caller, tokenVersion, userId, method, headers, log } = request;
  const results: NonNullable<CreatedSession['agents']> = [];
  for (const [index, body] of agents.entries()) {
    // All agents have the key of the request, and each has its own path.
    const routeOptions = { url: `${request.routeOptions.url}/:sessionId/agents/:index` };
    const path = { projectId, sessionId, index: String(index) };
    const own = { isReplayed: false, caller, tokenVersion, userId, method, headers, body };
    const asked = { ...own, routeOptions, params: path };
    try {
      const id = await insertAgentOnce(deps, asked, { sessionId, projectId, status }, body);
      const row = await authorize(userId, 'read', await db.findAgent(database, { id, userId }));
      results.push({ agent: agentOf(row) });
    } catch (error) {
      // The whole request fails, so that clients retry it. With an `Idempotency-Key` no agent is started twice.
      if (!(error instanceof AppError) || TEMPORARY.has(error.code)) throw error;
      log.info({ code: error.code, reason: String(error) }, 'agent refused while creating session');
      results.push({ problem: problemOfPart(error, request.id) });
    }
  }
  return results;
}

async function created(creating: Promise<string>) {
  try {
    return { id: await creating, status: 201 } as const;
  } catch (error) {
    if (error instanceof SessionFound) return { id: error.id, status: 200 } as const;
    throw error;
  }
}
