import { messageIdOf } from '@session/contract/room';
import type { SaidMessage } from '@session/db';

/**
 * Returns the id by which the room knows a stored message. It is the stored id, but of a message whose id another sender's
 * message has: the history gave that one an id of its own.
 */
export function roomIdOf(
  sessionId: string,
  { id, kind, rawId, hasIdConflict }: Pick<SaidMessage, 'hasIdConflict' | 'id' | 'kind' | 'rawId'>,
): string {
  return hasIdConflict && rawId !== null ? messageIdOf(sessionId, kind, rawId) : id;
}
