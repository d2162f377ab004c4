import type { Claim } from './sender.ts';
import { uuidV5 } from './uuid.ts';

/** The namespace of the ids of messages whose own id another sender's message has. */
const CONFLICT_NAMESPACE = '070061c0-69d6-474d-aee9-7ebd444c90f0';

/**
 * Returns the id under which a message is stored whose own id another sender's message has. Every recorder derives the same
 * id, whatever the order in which it received the two. The content names a message of an unknown sender.
 */
export function conflictIdOf(
  sessionId: string,
  messageId: string,
  { sender, content }: Claim,
): string {
  const key = `${sessionId}:${messageId}`.toLowerCase();
  const name = sender === null ? `${key}/${content}` : `${key}:${sender}`;
  return uuidV5(name.toWellFormed(), CONFLICT_NAMESPACE);
}
