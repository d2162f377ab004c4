import { messageIdOf } from '@session/contract/room';
import type { SpokenMessage } from '@session/db';

/**
 * Returns the id by which the room knows a stored message. It is the stored id, but of a message whose id another sender's
 * message has: the history gave that one an id of its own.
 */
export function roomIdOf(
  sessionId: string,
  {
    id,
    kind,
    rawId,
    hasIdConflict,
  }: Pick<SpokenMessage, 'hasIdConflict' | 'id' | 'kind' | 'rawId'>,
): string {
  return hasIdConflict && rawId !== null ? messageIdOf(sessionId, kind, rawId) : id;
}

/**
 * Returns the id of a packet that the room knows by the same id as a stored text, or undefined when no packet has that id:
 * then the text is a stream, whose id is derived from its sender too.
 */
export function packetIdOf(sessionId: string, message: SpokenMessage): string | undefined {
  const roomId = roomIdOf(sessionId, message);
  const candidates = [message.rawId ?? message.id, roomId];
  return candidates.find((id) => messageIdOf(sessionId, message.kind, id) === roomId);
}
