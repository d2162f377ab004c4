import type { Claim } from './sender.ts';
import { uuidV5 } from './uuid.ts';

const CONFLICT_NAMESPACE = '070061c0-69d6-474d-aee9-7ebd444c90f0';

/**
 * Returns another id for a message whose own id a message of another sender already has. Every recorder derives the
 * same id: from the sender or, if the sender is unknown, from the content.
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
