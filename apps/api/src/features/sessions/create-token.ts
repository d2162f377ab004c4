import { SessionToken } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { observerToken, userToken } from '@session/media/server';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { sessionParams } from './session-schema.ts';

const ignored = z.unknown().optional();

const mode = z
  .enum(['join', 'observe'])
  .default('join')
  .meta({
    description:
      '`join`: to take part. `observe`: to follow the room hidden from everybody in it, unable to send anything. An observer is ' +
      'not in the history, agents do not know of it, and it keeps no session from being idle',
  });

/**
 * Apart from `mode`, the fields that LiveKit's `TokenSource.endpoint` sends. They are ignored, because the service alone
 * decides on room and name.
 */
const body = z
  .strictObject({
    mode,
    room_name: ignored,
    participant_name: ignored,
    participant_identity: ignored,
    participant_metadata: ignored,
    participant_attributes: ignored,
    room_config: ignored,
  })
  .nullish()
  .meta({ examples: [{ mode: 'join' }] });

export function createToken(app: ZodApp, { authorize, config, database }: Deps): void {
  const content = { 'application/json': { schema: SessionToken } };
  const response = {
    201: { description: 'The token, which opens the room within ten minutes', content },
  };
  const schema = {
    tags: ['sessions'],
    operationId: 'createToken',
    summary: "Create a token for the session's room",
    description:
      'Returns what a LiveKit client needs to join the room: the address of the server, and a token for this session alone. Clients that read `TokenSource.endpoint` of LiveKit may use this address.',
    problems: ['not_found', 'session_closed'] as const,
    params: sessionParams,
    body,
    response,
  };
  app.post('/sessions/:id/token', { schema }, async (request, reply) => {
    const {
      userId,
      params: { id },
    } = request;
    const session = await db.findSession(database, { id, userId });
    const { status } = await authorize(userId, 'joinSession', session);
    if (status === 'CLOSED') throw new AppError('session_closed', 'a token for a closed session');
    const user = await db.findUser(database, userId);
    if (!user) throw new AppError('unauthorized', 'the user no longer exists');
    const { token, identity, expiresAt } =
      request.body?.mode === 'observe'
        ? await observerToken(config.media, { room: id, userId })
        : await userToken(config.media, { room: id, userId, name: user.name });
    return reply.code(201).send({
      serverUrl: config.media.publicUrl,
      participantToken: token,
      roomName: id,
      participantIdentity: identity,
      expiresAt,
    });
  });
}
