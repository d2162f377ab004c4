import { Message, NewMessage } from '@session/contract';
import {
  decode,
  encodePacket,
  type RoomMessage,
  type UserTextPacket,
} from '@session/contract/room';
import type { MessageRow, UserRow } from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageOf, messageParams, metadataOf } from './message-schema.ts';

/**
 * `POST /sessions/:sessionId/messages`: 201 with what the caller said, stored and sent into the room. The packet that the
 * room gets has the same id, so the recorder's copy folds into this row. When the room cannot be reached it is 503 and
 * the row stays: asking again with the same id sends it again.
 */
export function say(app: ZodApp, deps: Deps): void {
  const { authorize, createOnce, messages, rooms, sessions, users } = deps;
  const codes = [
    'not_found',
    'session_closed',
    'message_id_taken',
    'media_unavailable',
    ...IDEMPOTENCY_CODES,
  ] as const;
  const json = { 'application/json': { schema: Message } };
  const response = {
    201: { description: 'Said: stored, and sent into the room', content: json },
  };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['messages'],
    operationId: 'say',
    summary: 'Say something without a microphone',
    problems: codes,
    headers,
    params: messageParams,
    body: NewMessage,
    response,
  };
  const route = { schema, handlerTimeout: LONG_REQUEST_MS };
  app.post('/sessions/:sessionId/messages', route, async (request, reply) => {
    const { userId, params, body } = request;
    const session = await sessions.findSession({ id: params.sessionId, userId });
    const { id: sessionId, status } = await authorize(userId, 'say', session);
    const user = await users.findUser(userId);
    if (!user) throw new AppError('unauthorized', 'the user is gone');
    const { content, id = uuidv7() } = body;
    const packet: UserTextPacket = { type: 'user_text', data: content, id };
    const said = recordableOf(sessionId, user, packet);
    const store: Parameters<typeof createOnce>[1] = async (makers) => {
      if (status === 'CLOSED') throw new AppError('session_closed', 'words for a closed session');
      await makers.messages.appendMessages([said]);
    };
    const messageId = await createOnce(request, store, said.id);
    const stored = await messages.findMessage({ sessionId, id: messageId });
    if (!stored) throw new AppError('not_found', 'the session was deleted meanwhile');
    if (!isSame(stored, said, userId)) {
      throw new AppError('message_id_taken', `message ${said.id} is another`);
    }
    // What was said under a key before may not have reached the room then.
    const sent = { ...packet, id: body.id ?? messageId };
    if (status === 'ACTIVE') await rooms.sendPacket(sessionId, sent);
    return reply.code(201).send(messageOf(sessionId, stored));
  });
}

/** Gives what a recorder would store for the packet, had the caller sent it in the room. */
function recordableOf(sessionId: string, user: UserRow, packet: UserTextPacket): RoomMessage {
  const { id, name } = user;
  const decoded = decode(
    {
      type: 'packet',
      payload: encodePacket(packet),
      sender: { identity: `user-${id}`, name, sid: null, kind: 'standard' },
      receivedAt: Date.now(),
    },
    { sessionId, newId: uuidv7 },
  );
  if (decoded.outcome !== 'record') throw new Error('typed text is always recorded');
  return decoded.message;
}

/** Whether the row of that id is what the caller says now, said before here or in the room. */
function isSame(stored: MessageRow, said: RoomMessage, userId: string): boolean {
  const { participant } = metadataOf(stored) ?? {};
  const identity =
    typeof participant === 'object' && participant !== null && 'identity' in participant
      ? String(participant.identity)
      : '';
  const isOwn = identity === `user-${userId}` || identity.startsWith(`user-${userId}-`);
  return isOwn && stored.role === said.role && stored.content === said.content;
}
