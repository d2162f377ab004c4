import { messageIdOf } from '@session/contract/room';
import type { SaidMessage } from '@session/db';

/** Returns the id that a stored message has in the room, even if the history stores the message under another id. */
export function roomIdOf(
  sessionId: string,
  { id, kind, rawId, hasIdConflict }: SaidMessage,
): string {
  return hasIdConflict && rawId !== null ? messageIdOf(sessionId, kind, rawId) : id;
}

/**
 * Returns the id with which every receiver takes a packet of the API for the stored message; undefined if the message has
 * no raw id, or an id that was also derived from its sender, as for a stream whose id is not a UUID.
 */
export function packetIdOf(sessionId: string, message: SaidMessage): string | undefined {
  const { rawId, kind } = message;
  const isSame =
    rawId !== null && messageIdOf(sessionId, kind, rawId) === roomIdOf(sessionId, message);
  return isSame ? rawId : undefined;
}
