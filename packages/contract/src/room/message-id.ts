import { v5 as uuidv5, validate } from 'uuid';

/** The namespace of message ids that are derived from an id which is no UUID. */
export const MESSAGE_NAMESPACE = '6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41';

/**
 * Gives the id under which a message is stored, and under which every client in the room knows it. `rawId` is the id that
 * the room gave it: a transcript's `lk.segment_id`, else the `id` of a packet or chat message, else the stream's id; for
 * joins and leaves the participant's SID. One that is a UUID is the message's id; any other is made one within its
 * session and kind. A text stream names its `sender` besides, so that nobody can take another's running segment.
 */
export function messageIdOf(
  sessionId: string,
  kind: string,
  rawId: string,
  sender?: string,
): string {
  if (validate(rawId)) return rawId.toLowerCase();
  const name = sender === undefined ? rawId : `${sender}/${rawId}`;
  return uuidv5(`${sessionId.toLowerCase()}:${kind}:${name}`, MESSAGE_NAMESPACE);
}
