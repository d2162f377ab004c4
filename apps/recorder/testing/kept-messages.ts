import type { RoomMessage } from '@session/contract/room';
import type { MessageWithoutRawId } from '@session/db';
import { v7 as uuidv7 } from 'uuid';

/** The moment from which the times of these messages count, in milliseconds since the epoch. */
export const T0 = Date.parse('2026-11-21T08:00:00.000Z');

/** Returns a message without a raw id that was received `ms` after `T0`; without an identity its sender is unknown. */
export function messageWithoutRawId(
  content: string,
  ms: number,
  identity: string | null = 'ana',
): RoomMessage {
  const participant =
    identity === null ? null : { identity, name: '', sid: null, kind: 'standard' };
  return {
    id: content,
    sessionId: 'session',
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant, source: 'user_text', rawId: null },
    receivedAt: T0 + ms,
  };
}

export function rowWithoutRawId(
  content: string,
  ms: number,
  identity: string | null = 'ana',
): MessageWithoutRawId {
  const timestamp = new Date(T0 + ms).toISOString();
  const span = { from: null, to: null };
  return { id: uuidv7(), timestamp, kind: 'text', content, identity, isErased: false, ...span };
}
