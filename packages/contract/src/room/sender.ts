/** An identity that the API made: `user-<uuid>` where it stores a message, with a suffix for each token in a room. */
const IDENTITY_OF_USER = /^(user-[0-9a-f-]{36})-.*$/s;

export interface Claim {
  readonly sender: string | null;
  readonly content: string;
}

/** Returns the sender that a participant's identity stands for: all identities of one user are one sender. */
export function senderOf(identity: string): string {
  return identity.replace(IDENTITY_OF_USER, '$1');
}

/** Returns whether two sources mean one message by an id, which senders choose. Without a sender, the content decides. */
export function isSameMessage(one: Claim, other: Claim): boolean {
  if (one.sender === null || other.sender === null) return one.content === other.content;
  return one.sender === other.sender;
}
