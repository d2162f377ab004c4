import { messageIdOf } from '@session/contract/room';
import type { SaidMessage } from '@session/db';

/**
 * Returns the id by which the room knows a stored message. It is the stored id, except for a message whose id another sender's
 * message has: the history gave such a message an id of its own.
 */
export function roomIdOf(
  sessionId: string,
  { id, kind, rawId, hasIdConflict }: SaidMessage,
): string {
  return hasIdConflict && rawId !== null ? messageIdOf(sessionId, kind, rawId) : id;
}

/**
 * Returns the id under which all participants take a packet of the API for the stored message. Undefined where no packet can be
 * the same: a text without an id got one in the history, and a stream's id may be derived from its sender.
 */
export function packetIdOf(sessionId: string, message: SaidMessage): string | undefined {
  const { rawId, kind } = message;
  const isSame =
    rawId !== null && messageIdOf(sessionId, kind, rawId) === roomIdOf(sessionId, message);
  return isSame ? rawId : undefined;
}
