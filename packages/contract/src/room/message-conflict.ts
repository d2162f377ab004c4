import { v5 as uuidv5 } from 'uuid';

/** The namespace of the ids of messages whose own id another sender's message has. */
const CONFLICT_NAMESPACE = '070061c0-69d6-474d-aee9-7ebd444c90f0';

/** An identity that the API made for a token of one user: `user-<uuid>-<token>`. What the API itself stores has no token. */
const IDENTITY_OF_USER = /^(user-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-.*$/s;

/** A message that cannot have its own id. `identity` is its sender's; null when the sender is unknown. */
export interface ConflictingMessage {
  readonly sessionId: string;
  readonly id: string;
  readonly identity: string | null;
  readonly content: string;
}

/** Returns the sender that a participant's identity stands for: all identities of one user are one sender. */
export function senderOf(identity: string): string {
  return identity.replace(IDENTITY_OF_USER, '$1');
}

/**
 * Returns the id under which a message is stored whose own id another sender's message has. Every recorder derives the same
 * id, whatever the order in which it received the two. A message without a known sender is told by its content.
 */
export function conflictIdOf({ sessionId, id, identity, content }: ConflictingMessage): string {
  const key = `${sessionId}:${id}`.toLowerCase();
  const name = identity === null ? `${key}/${content}` : `${key}:${senderOf(identity)}`;
  return uuidv5(name.toWellFormed(), CONFLICT_NAMESPACE);
}
