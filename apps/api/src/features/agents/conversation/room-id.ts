import { messageIdOf } from '@session/contract/room';
import type { SaidMessage } from '@session/db';

/** Returns the id by which the room knows a stored message, even one with its own name in the history. */
export function roomIdOf(
  sessionId: string,
  { id, kind, rawId, hasIdConflict }: SaidMessage,
): string {
  return hasIdConflict && rawId !== null ? messageIdOf(sessionId, kind, rawId) : id;
}

/** Returns the id of a packet of the API that is the stored message for all; undefined for texts without id, and streams. */
export function packetIdOf(sessionId: string, message: SaidMessage): string | undefined {
  const { rawId, kind } = message;
  const isSame =
    rawId !== null && messageIdOf(sessionId, kind, rawId) === roomIdOf(sessionId, message);
  return isSame ? rawId : undefined;
}
