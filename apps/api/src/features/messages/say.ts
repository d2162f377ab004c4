import { NewMessage, SentMessage } from '@session/contract';
import {
  decodeNumbered,
  encodePacket,
  isAgent,
  type Participant,
  type RoomMessage,
  type UserTextPacket,
  withExternalId,
} from '@session/contract/room';
import type { MessageRow } from '@session/db';
import * as db from '@session/db';
import { AppError, SenderRates, withDeadline } from '@session/kit';
import type { RoomService } from '@session/media/server';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { actorOf } from '../../http/callers/caller.ts';
import { observesOnly } from '../../http/callers/participant-tokens.ts';
import {
  type CreatingRequest,
  IDEMPOTENCY_CODES,
  idempotencyHeaders,
} from '../../http/idempotency.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { messageOf, messageParams, metadataOf } from './message-schema.ts';

/**
 * Stores the message, and sends it into the room under the same id, so that what the recorder receives counts as this
 * row. If another sender's message already has the id, this message is stored under another id: see docs/message-ids.md.
 * When the room cannot be reached, a retry with the id sends the packet again.
 */
export function say(app: ZodApp, deps: Deps): void {
  const { authorize, database, now, sayOnce, timeLimits } = deps;
  const rates = new SenderRates(deps.config.sessions.senderMessagesPerSecond, now);
  const codes = [
    'forbidden',
    'not_found',
    'session_closed',
    'message_id_taken',
    'message_rate',
    'media_unavailable',
    ...IDEMPOTENCY_CODES,
  ] as const;
  const json = { 'application/json': { schema: SentMessage } };
  const response = {
    201: { description: 'The message was stored, and sent into the room', content: json },
  };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['messages'],
    operationId: 'say',
    summary: 'Send a message without joining the room',
    description:
      'Stores the message as yours, and sends it into the room. With an `id` or an `Idempotency-Key` the request can be repeated: the message is stored once. After `media_unavailable` the message is stored, and a repeat sends it again. Without either, the `detail` names the id for the repeat.',
    problems: codes,
    headers,
    params: messageParams,
    body: NewMessage,
    response,
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { participant: 'sessionId' as const },
  };
  app.post('/sessions/:sessionId/messages', route, async (request, reply) => {
    const { caller, userId, params, body } = request;
    const actorId = actorOf(request);
    const session = await db.findSession(database, { id: params.sessionId, userId });
    const { id: sessionId, status } = await authorize(userId, 'say', session);
    if (caller.kind === 'participant' && !caller.mayJoin) throw observesOnly();
    const user = await db.findUser(database, actorId);
    if (!user) throw accountGone();
    const { content, id = uuidv7(), seq } = body;
    const sizeBytes = Buffer.byteLength(content);
    const waitMs = rates.take({ sessionId, sender: actorId, sizeBytes, at: now() });
    if (waitMs > 0) {
      void reply.header('retry-after', Math.ceil(waitMs / 1000));
      throw new AppError('message_rate', 'the sender exceeded SENDER_MESSAGES_PER_SECOND');
    }
    const sender = { identity: `user-${actorId}`, name: user.name };
    const text = { type: 'user_text', data: content, id, sender } as const;
    const packet: UserTextPacket = { ...text, ...(seq && { seq }) };
    const message = withExternalId(roomMessageOf(sessionId, packet, sender), user.externalId);
    const store: Parameters<typeof sayOnce>[2] = (transaction) =>
      storeWhileActive(transaction, message, actorId);
    const storing = sayOnce(sessionId, request, store, message.id);
    const said = { request, message, packet, actorId, isActive: status === 'ACTIVE' };
    const delivery = deliverOnceStored(deps, storing, said);
    // If the message is stored after the deadline, nobody waits for its delivery.
    delivery.catch(() => {});
    await withDeadline(storing, timeLimits.statementMs);
    return reply.code(201).send(await delivery);
  });
}

/**
 * Stores the message if its session is ACTIVE. Otherwise throws `session_closed`, unless this message was stored
 * before: a repeated request must succeed.
 */
async function storeWhileActive(
  database: db.DatabaseAccess,
  message: RoomMessage,
  userId: string,
): Promise<void> {
  if (await db.sayMessage(database, message)) return;
  if (await findStored(database, message, userId)) return;
  throw new AppError('session_closed', 'the session of the message is closed');
}

interface Said {
  readonly request: Pick<CreatingRequest, 'headers'> & { readonly body: NewMessage };
  readonly message: RoomMessage;
  readonly packet: UserTextPacket;
  readonly actorId: string;
  readonly isActive: boolean;
}

async function deliverOnceStored(
  { database, rooms, storedNotifier }: Deps,
  storing: Promise<string>,
  { request, message, packet, actorId, isActive }: Said,
): Promise<SentMessage> {
  const { sessionId } = message;
  const id = await storing;
  storedNotifier.notify([sessionId]);
  const stored = await findSame(database, { ...message, id }, actorId);
  // Also sent for a repeated key: the first request may not have reached the room.
  const sent = { ...packet, id: request.body.id ?? id };
  const isSent = isActive && !isRenamedInRoom(stored, actorId);
  const sending = isSent ? sendPacket(rooms, sessionId, sent) : null;
  const deliveredTo = await sending?.catch((error: unknown) => {
    throw isRepeatable(request) ? error : unheard(id, error);
  });
  return { ...messageOf(sessionId, stored), deliveredTo: deliveredTo ?? null };
}

function isRepeatable({ body, headers }: Said['request']): boolean {
  return body.id !== undefined || headers['idempotency-key'] !== undefined;
}

/** Names the id to retry with, because the same request would store the words a second time. */
function unheard(id: string, cause: unknown): AppError {
  const detail = `The message is stored, but did not reach the room: send it again with the id ${id}.`;
  return new AppError('media_unavailable', 'a message without an id was not sent', {
    detail,
    cause,
  });
}

async function sendPacket(rooms: RoomService, room: string, packet: UserTextPacket) {
  const [participants] = await Promise.all([
    rooms.listParticipants(room).catch(() => null),
    rooms.sendPacket(room, packet),
  ]);
  const readers = participants?.filter((one) => one.readsTexts && isAgent(one));
  return readers?.map(({ identity }) => identity) ?? null;
}

function roomMessageOf(
  sessionId: string,
  packet: UserTextPacket,
  sender: Pick<Participant, 'identity' | 'name'>,
): RoomMessage {
  const decoded = decodeNumbered(
    {
      type: 'packet',
      payload: encodePacket(packet),
      sender: { ...sender, sid: null, kind: 'standard' },
      receivedAt: Date.now(),
    },
    { sessionId, newId: uuidv7 },
  );
  if (decoded.outcome !== 'store') throw new Error('a packet of typed text is always stored');
  return decoded.message;
}

/**
 * Returns the stored row of this message. Throws `message_id_taken` when another message has its id, and `not_found`
 * when the session was deleted.
 */
async function findSame(
  database: db.DatabaseAccess,
  message: RoomMessage,
  userId: string,
): Promise<MessageRow> {
  const stored = await findStored(database, message, userId);
  if (stored) return stored;
  const { sessionId, id } = message;
  if (await db.findMessage(database, { sessionId, id })) {
    throw new AppError('message_id_taken', `${id} is the id of another message`);
  }
  throw new AppError('not_found', 'the session was deleted meanwhile');
}

async function findStored(
  database: db.DatabaseAccess,
  message: RoomMessage,
  userId: string,
): Promise<MessageRow | undefined> {
  const { sessionId } = message;
  for (const id of [message.id, ...db.conflictIdsOf(message)]) {
    const stored = await db.findMessage(database, { sessionId, id });
    if (stored && isSame(stored, message, userId)) return stored;
  }
  return undefined;
}

function isSame(stored: MessageRow, message: RoomMessage, userId: string): boolean {
  const identity = identityOf(stored);
  const isOwn = identity === `user-${userId}` || identity.startsWith(`user-${userId}-`);
  return isOwn && stored.role === message.role && stored.content === message.content;
}

/**
 * Returns whether the room has seen this message under an id that another sender used too. A recorder would store
 * another packet as a further message.
 */
function isRenamedInRoom(stored: MessageRow, userId: string): boolean {
  const { idConflict } = metadataOf(stored) ?? {};
  return idConflict === true && identityOf(stored) !== `user-${userId}`;
}

function identityOf(stored: MessageRow): string {
  const { participant } = metadataOf(stored) ?? {};
  return typeof participant === 'object' && participant !== null && 'identity' in participant
    ? String(participant.identity)
    : '';
}
