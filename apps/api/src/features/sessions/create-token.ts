import { SessionToken } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { observerToken, userToken } from '@session/media/server';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { actorOf } from '../../http/callers/caller.ts';
import { observesOnly, signParticipantToken } from '../../http/callers/participant-tokens.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { endUserIdOf } from './end-user-id.ts';
import { sessionParams } from './session-schema.ts';
import { participantIn, type TokenBody, type TokenParticipant, tokenBody } from './token-body.ts';

const NO_ACCESS = { accessToken: null, accessExpiresAt: null };
const NO_BODY: TokenBody = { mode: 'join' };
const ACCESS_SECONDS = 3600;
/** Of one end user. Each token is a participant of its own in the room. */
const PER_MINUTE = 30;

interface RoomUser {
  readonly userId: string;
  readonly name: string;
  /** Of an end user: behind which time its history is that since its first token. */
  readonly firstAt?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function createToken(app: ZodApp, { authorize, config, database, now }: Deps): void {
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
    const { caller, userId, tokenVersion, params, body } = request;
    const { id: room } = params;
    const wanted = body ?? NO_BODY;
    const { mode } = wanted;
    const session = await db.findSession(database, { id: room, userId });
    const { status, projectId } = await authorize(userId, 'joinSession', session);
    if (status === 'CLOSED') throw new AppError('session_closed', 'a token for a closed session');
    const participant = participantIn(wanted, room);
    assertMayAsk(request, wanted, participant);
    // An API key is made for it.
    if (participant && caller.kind !== 'key') await authorize(userId, 'letParticipantsIn', session);
    const place = { projectId, sessionId: room, issuedBy: userId };
    const user = participant
      ? await letIn(database, place, participant)
      : await findSelf(database, actorOf(request));
    const { token, identity, expiresAt } =
      mode === 'observe'
        ? await observerToken(config.media, { room, userId: user.userId })
        : await userToken(config.media, { room, ...user });
    const from = wanted.history === 'since_join' ? user.firstAt : undefined;
    const about = { session: room, as: user.userId, mode, ...(from !== undefined && { from }) };
    const claims = { sub: userId, v: tokenVersion, ...about };
    const access = participant
      ? signParticipantToken(app, claims, ttlOf(wanted, request, now()))
      : NO_ACCESS;
    return reply.code(201).send({
      serverUrl: config.media.publicUrl,
      participantToken: token,
      roomName: room,
      participantIdentity: identity,
      expiresAt,
      ...access,
    });
  });
}

async function findSelf(database: db.DatabaseAccess, userId: string): Promise<RoomUser> {
  const user = await db.findUser(database, userId);
  if (!user) throw new AppError('unauthorized', 'the user no longer exists');
  return { userId, name: user.name };
}

async function letIn(
  database: db.DatabaseAccess,
  place: { projectId: string; sessionId: string; issuedBy: string },
  { id: externalId, name, attributes }: TokenParticipant,
): Promise<RoomUser> {
  const userId = endUserIdOf(place.projectId, externalId);
  const firstAt = await db.upsertEndUser(database, { ...place, id: userId, externalId, name });
  if (firstAt === undefined) throw new AppError('not_found', 'the session was deleted meanwhile');
  return { userId, name, firstAt, ...(attributes && { attributes }) };
}

/** Throws `forbidden` where an end user who may only observe would take part, or would let somebody in. */
function assertMayAsk(
  { caller }: FastifyRequest,
  { mode }: TokenBody,
  participant: TokenParticipant | undefined,
): void {
  if (caller.kind !== 'participant') return;
  if (mode === 'join' && !caller.mayJoin) throw observesOnly();
  if (!participant) return;
  const detail = 'An end user gets a token for itself only: leave out `participant`.';
  throw new AppError('forbidden', 'an end user would let another in', { detail });
}

function isEndUser({ caller }: FastifyRequest): boolean {
  return caller.kind === 'participant';
}

/** A token of a key ends with the key. */
function ttlOf(
  { accessTtl = ACCESS_SECONDS }: TokenBody,
  { caller, expiresAt }: FastifyRequest,
  now: number,
): number {
  if (caller.kind !== 'key') return accessTtl;
  const leftSeconds = Math.ceil((expiresAt - now) / 1000);
  return Math.max(1, Math.min(accessTtl, leftSeconds));
}
