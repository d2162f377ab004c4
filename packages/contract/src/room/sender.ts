/** An identity that the API made: `user-<uuid>` where it stores a message, with a suffix for each token in a room. */
const IDENTITY_OF_USER = /^(user-[0-9a-f-]{36})-.*$/s;

/** Only the API makes these identities, so nobody becomes an operator by an attribute. */
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
 * Returns whether two sources mean the same message by an id, which senders choose. Without a sender, the content
 * decides.
 */
export function isSameMessage(one: Claim, other: Claim): boolean {
  if (one.sender === null || other.sender === null) return one.content === other.content;
  return one.sender === other.sender;
}
