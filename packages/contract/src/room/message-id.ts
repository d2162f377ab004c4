import { v5 as uuidv5, validate } from 'uuid';

/** The namespace of the message ids that are derived from a raw id which is no UUID. */
const MESSAGE_NAMESPACE = '6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41';

/**
 * Returns the id under which a message is stored, and under which every client in the room knows the message. `rawId`
 * is the id that the room event carries: a transcript's `lk.segment_id`, else the `id` of a packet or chat message,
 * else the stream's id. For a join or leave it is the participant's SID. A raw id that is a UUID is the message id;
 * from any other raw id the message id is derived within its session and kind. For a text stream the `sender` is part
 * of the derivation, so that no participant can take over another's interim transcript.
 */
export function messageIdOf(
  sessionId: string,
  kind: string,
  rawId: string,
  sender?: string,
): string {
  if (validate(rawId)) return rawId.toLowerCase();
  const name = sender === undefined ? rawId : `${sender}/${rawId}`;
  // uuid throws for lone surrogates; as in UTF-8 everywhere else, they become U+FFFD.
  const text = `${sessionId.toLowerCase()}:${kind}:${name}`.toWellFormed();
  return uuidv5(text, MESSAGE_NAMESPACE);
}
