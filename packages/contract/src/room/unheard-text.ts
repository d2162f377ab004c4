import { messageIdOf } from './message-id.ts';
import type { RoomMessage } from './room-message.ts';

/**
 * Returns the message that precedes the answer to a text that was sent to an agent alone. `textId`: the id of the text
 * as the agent reports it, so every recorder derives the same id for the message. `receivedAt`: when the answer was
 * received, in ms since the epoch.
 */
export function unheardText(sessionId: string, textId: string, receivedAt: number): RoomMessage {
  const kind = 'unheard';
  // `textId` alone is, or will be, the id of the text itself.
  const rawId = `text:${textId}`;
  return {
    id: messageIdOf(sessionId, kind, rawId),
    sessionId,
    role: 'system',
    status: null,
    kind,
    content:
      'An agent answers a text that this history does not have: it was not said to the room.',
    metadata: { kind, participant: null, source: 'recorder', rawId },
    receivedAt,
  };
}
