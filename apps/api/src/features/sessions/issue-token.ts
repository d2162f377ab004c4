import type { MemberRole, SessionToken } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import {
  type MediaServer,
  observerToken,
  operatorToken,
  type RoomToken,
  userToken,
} from '@session/media/server';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { actorOf } from '../../http/callers/caller.ts';
import { observesOnly, signParticipantToken } from '../../http/callers/participant-tokens.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { endUserIdOf } from './end-user-id.ts';
import type { TokenParticipant, TokenWish } from './token-body.ts';

const NO_ACCESS = { accessToken: null, accessExpiresAt: null };
const ACCESS_SECONDS = 3600;

interface RoomUser {
  readonly userId: string;
  readonly name: string;
  /** With `history: since_join`, an end user reads the history after this time (ISO 8601). */
  readonly firstAt?: string;
  readonly version?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Throws `forbidden` for an observer who asks to join, an end user who would be an operator, and a caller who may not
 * let end users in.
 */
export async function assertMayAsk(
  { authorize }: Pick<Deps, 'authorize'>,
  { caller, userId }: FastifyRequest,
  member: { readonly memberRole: MemberRole },
  { mode, participant }: TokenWish,
): Promise<void> {
  if (caller.kind === 'participant') {
    if (mode === 'join' && !caller.mayJoin) throw observesOnly();
    if (mode === 'operator') {
      const detail = 'Only members of the project and API keys may speak in the place of agents.';
      throw new AppError('forbidden', 'an end user asked for a token as an operator', { detail });
    }
    if (!participant) return;
    const detail = 'An end user gets a token for itself only: leave out `participant`.';
    throw new AppError('forbidden', 'an end user asked for a token of another end user', {
      detail,
    });
  }
  if (mode === 'operator') await authorize(userId, 'say', member);
  // Every API key may let end users in.
  if (participant && caller.kind !== 'key') await authorize(userId, 'letParticipantsIn', member);
}

/** Returns a token for the room of an ACTIVE session, and for an end user also one for the API. Throws `session_closed`. */
export async function issueToken(
  app: ZodApp,
  { config, database, now }: Pick<Deps, 'config' | 'database' | 'now'>,
  request: FastifyRequest,
  { id: room, projectId, status }: Pick<db.SessionRow, 'id' | 'projectId' | 'status'>,
  { mode, participant, history, accessTtl }: TokenWish,
): Promise<SessionToken> {
  if (status === 'CLOSED') throw new AppError('session_closed', 'the session is closed');
  const { userId, tokenVersion } = request;
  const place = { projectId, sessionId: room, issuedBy: userId };
  const user = participant
    ? await letIn(database, place, participant)
    : await findSelf(database, actorOf(request));
  const { token, identity, expiresAt } = await roomToken(config.media, room, user, mode);
  const from = history === 'since_join' ? user.firstAt : undefined;
  const { version: av = 0 } = user;
  const about = { session: room, as: user.userId, av, ...(from !== undefined && { from }) };
  const claims = { sub: userId, v: tokenVersion, ...about };
  const access =
    participant && mode !== 'operator'
      ? signParticipantToken(app, { ...claims, mode }, ttlOf(accessTtl, request, now()))
      : NO_ACCESS;
  return {
    serverUrl: config.media.publicUrl,
    participantToken: token,
    roomName: room,
    participantIdentity: identity,
    expiresAt,
    ...access,
  };
}

async function roomToken(
  media: MediaServer,
  room: string,
  user: RoomUser,
  mode: TokenWish['mode'],
): Promise<RoomToken> {
  const { userId, name } = user;
  if (mode === 'observe') return await observerToken(media, { room, userId });
  if (mode === 'operator') return await operatorToken(media, { room, userId, name });
  return await userToken(media, { room, ...user });
}

async function findSelf(database: db.DatabaseAccess, userId: string): Promise<RoomUser> {
  const user = await db.findUser(database, userId);
  if (!user) throw accountGone();
  return { userId, name: user.name };
}

async function letIn(
  database: db.DatabaseAccess,
  place: { projectId: string; sessionId: string; issuedBy: string },
  { id: externalId, name, attributes }: TokenParticipant,
): Promise<RoomUser> {
  const userId = endUserIdOf(place.projectId, externalId);
  const letInto = await db.upsertEndUser(database, { ...place, id: userId, externalId, name });
  if (!letInto) throw new AppError('not_found', 'the session was deleted meanwhile');
  const { firstAt, tokenVersion: version } = letInto;
  return { userId, name, firstAt, version, ...(attributes && { attributes }) };
}

/** A token that a key requested ends with the key. */
function ttlOf(
  accessTtl: number | undefined,
  { caller, expiresAt }: FastifyRequest,
  now: number,
): number {
  const wanted = accessTtl ?? ACCESS_SECONDS;
  if (caller.kind !== 'key') return wanted;
  const leftSeconds = Math.ceil((expiresAt - now) / 1000);
  return Math.max(1, Math.min(wanted, leftSeconds));
}
