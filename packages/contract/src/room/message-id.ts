import { isUuid, uuidV5 } from './uuid.ts';

const MESSAGE_NAMESPACE = '6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41';

const VERSION_DIGIT = 14;

/**
 * Returns the id under which a message is stored, and under which every client in the room knows it. `rawId` is the id that the
 * room event carries: a transcript's `lk.segment_id`, else the `id` of a packet or chat message, else the stream's id. For a
 * join or leave it is the participant's SID.
 *
 * A raw id that is a UUID is the message id, unless its version is 5: derived ids have that version, and nobody may choose the
 * id of a leave or a gap. From any other raw id the message id is derived within its session and kind. For a text stream the
 * `sender` is part of the derivation, so that no participant can take over another's interim transcript.
 */
export function messageIdOf(
  sessionId: string,
  kind: string,
  rawId: string,
  sender?: string,
): string {
  if (isUuid(rawId) && rawId[VERSION_DIGIT] !== '5') return rawId.toLowerCase();
  const name = sender === undefined ? withoutSender(rawId) : `${sender}/${rawId}`;
  // Lone surrogates become U+FFFD, as in UTF-8 everywhere else.
  const text = `${sessionId.toLowerCase()}:${kind}:${name}`.toWellFormed();
  return uuidV5(text, MESSAGE_NAMESPACE);
}

/** Adds a slash where a sender would stand: a packet's raw id `ada/stream-1` must not name Ada's stream. */
function withoutSender(rawId: string): string {
  return rawId.includes('/') ? `/${rawId}` : rawId;
}
