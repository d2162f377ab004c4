import { isUuid, uuidV5 } from './uuid.ts';

const MESSAGE_NAMESPACE = '6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41';

const VERSION_DIGIT = 14;

/**
 * Returns the id of a message in the history and in the room. `rawId`: a transcript's `lk.segment_id`, otherwise the
 * `id` of a packet or chat message, otherwise the stream's id; for a join or leave, the participant's SID. A UUID is
 * used as the id, unless its version is 5, which derived ids have. Any other id is derived from session and kind, and
 * for a text stream also from `sender`, so that nobody takes over another sender's interim transcript.
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

/** Adds a slash in place of a sender, because a packet's raw id `ada/stream-1` must not name Ada's stream. */
function withoutSender(rawId: string): string {
  return rawId.includes('/') ? `/${rawId}` : rawId;
}
