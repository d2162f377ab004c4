import { SessionToken } from '@session/contract';
import * as db from '@session/db';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { assertMayAsk, issueToken } from './issue-token.ts';
import { sessionParams } from './session-schema.ts';
import { type TokenBody, tokenBody, wishOf } from './token-body.ts';

const NO_BODY: TokenBody = { mode: 'join' };
/** The limit of one end user. Each token becomes a separate participant in the room. */
const PER_MINUTE = 30;

export function createToken(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const content = { 'application/json': { schema: SessionToken } };
  const response = {
    201: { description: 'The token, which opens the room within ten minutes', content },
  };
  const schema = {
    tags: ['sessions'],
    operationId: 'createToken',
    summary: "Create a token for the session's room",
    description:
      'Returns what a LiveKit client needs to join the room: the address of the server, and a token for this session alone. Clients that read `TokenSource.endpoint` of LiveKit may use this address. With `participant` the token is for an end user of your product, who also gets an `accessToken` for the API: it reads this session and speaks in it, and opens nothing else.',
    problems: ['forbidden', 'not_found', 'session_closed'] as const,
    params: sessionParams,
    body: tokenBody,
    response,
  };
  const route = {
    schema,
    config: { participant: 'id' as const, ...limitedByUser(PER_MINUTE, isEndUser) },
  };
  app.post('/sessions/:id/token', route, async (request, reply) => {
    const { userId, params, body } = request;
    const wish = wishOf(body ?? NO_BODY, params.id);
    const found = await db.findSession(database, { id: params.id, userId });
    const session = await authorize(userId, 'joinSession', found);
    await assertMayAsk(deps, request, session, wish);
    return reply.code(201).send(await issueToken(app, deps, request, session, wish));
  });
}

function isEndUser({ caller }: FastifyRequest): boolean {
  return caller.kind === 'participant';
}
