import { SessionToken } from '@session/contract';
import { AppError } from '@session/kit';
import { userToken } from '@session/media';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { sessionParams } from './session-schema.ts';

const ignored = z.unknown().optional();

/** The fields that LiveKit's `TokenSource.endpoint` sends. All are ignored: the service alone decides on room and name. */
const body = z
  .strictObject({
    room_name: ignored,
    participant_name: ignored,
    participant_identity: ignored,
    participant_metadata: ignored,
    participant_attributes: ignored,
    room_config: ignored,
  })
  .nullish()
  .meta({ examples: [{}] });

/** `POST /sessions/:id/token`: 201 with a token that opens the session's room and no other, within ten minutes. */
export function createToken(app: ZodApp, { authorize, config, sessions, users }: Deps): void {
  const content = { 'application/json': { schema: SessionToken } };
  const response = {
    201: { description: 'The token, which opens the room within ten minutes', content },
  };
  const schema = {
    tags: ['sessions'],
    operationId: 'createToken',
    summary: "Create a token for the session's room",
    problems: ['not_found', 'session_closed'] as const,
    params: sessionParams,
    body,
    response,
  };
  app.post('/sessions/:id/token', { schema }, async ({ userId, params: { id } }, reply) => {
    const session = await sessions.findSession({ id, userId });
    const { status } = await authorize(userId, 'joinSession', session);
    if (status === 'CLOSED') throw new AppError('session_closed', 'a token for a closed session');
    const user = await users.findUser(userId);
    if (!user) throw new AppError('unauthorized', 'the user no longer exists');
    const joining = { room: id, userId, name: user.name };
    const { token, identity, expiresAt } = await userToken(config.media, joining);
    return reply.code(201).send({
      serverUrl: config.media.publicUrl,
      participantToken: token,
      roomName: id,
      participantIdentity: identity,
      expiresAt,
    });
  });
}
