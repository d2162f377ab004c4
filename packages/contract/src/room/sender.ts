/**
 * The identity of a user in a room: `user-<uuid>`, and a suffix that differs for each token. In messages that the API
 * stores, it has no suffix.
 */
const IDENTITY_OF_USER = /^(user-[0-9a-f-]{36})-.*$/s;

/** Only the API assigns these identities, so no participant can make itself an operator. */
const IDENTITY_OF_OPERATOR = /^user-[0-9a-f-]{36}-operator-[0-9a-f]{6}$/;

export interface Claim {
  readonly sender: string | null;
  readonly content: string;
}

/** Returns the sender of a participant's identity: all identities of one user are one sender. */
export function senderOf(identity: string): string {
  return identity.replace(IDENTITY_OF_USER, '$1');
}

/** Returns whether a participant is an operator: a person who speaks in the place of agents. */
export function isOperator({ identity }: { readonly identity: string }): boolean {
  return IDENTITY_OF_OPERATOR.test(identity);
}

/**
 * Returns whether two messages with the same id are one message. Senders choose ids, so the senders must be the same;
 * if one of them is unknown, the contents must be.
 */
export function isSameMessage(one: Claim, other: Claim): boolean {
  if (one.sender === null || other.sender === null) return one.content === other.content;
  return one.sender === other.sender;
}
