import type { Participant } from '@session/contract/room';

/** `user-<user id>`, with a suffix in a room: each token of a user has its own. */
const USER = /^(user-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-|$)/i;

/**
 * Returns the key under which all messages of one sender are filed, or null for an unknown sender. Two tokens of one user
 * are one sender, and so is what that user sent through the API.
 */
export function senderKeyOf(participant: Pick<Participant, 'identity'> | null): string | null {
  if (participant === null) return null;
  const user = USER.exec(participant.identity)?.[1];
  return user?.toLowerCase() ?? participant.identity;
}

/** What one source knows of who sent a message, and of what it says. */
export interface Claim {
  readonly sender: string | null;
  readonly content: string;
}

/**
 * Whether two sources of one message id mean the same message. Senders choose ids, so an id can be used by two of them.
 * Where one source does not know the sender, the content decides.
 */
export function isSameMessage(one: Claim, other: Claim): boolean {
  if (one.sender === null || other.sender === null) return one.content === other.content;
  return one.sender === other.sender;
}
