import type { Participant } from '@session/contract/room';

/** `user-<user id>`, in a room with a suffix that differs for each token. */
const USER = /^(user-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-|$)/i;

/**
 * Returns what identifies a sender, or null for an unknown one. All tokens of one user are one sender, and so is the user
 * who sends through the API.
 */
export function senderKeyOf(participant: Pick<Participant, 'identity'> | null): string | null {
  if (participant === null) return null;
  const user = USER.exec(participant.identity)?.[1];
  return user?.toLowerCase() ?? participant.identity;
}

/** What one source knows of a message's sender and content. */
export interface Claim {
  readonly sender: string | null;
  readonly content: string;
}

/**
 * Whether two sources mean the same message by one message id. Senders choose ids, so two senders can use the same one.
 * When one source does not know the sender, the content decides.
 */
export function isSameMessage(one: Claim, other: Claim): boolean {
  if (one.sender === null || other.sender === null) return one.content === other.content;
  return one.sender === other.sender;
}
