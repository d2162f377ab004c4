import type { ConversationApi, ConversationParts } from './parts.ts';

type User = Awaited<ReturnType<ConversationApi['auth']['me']>>;

/** Returns a function that reads the user whose token the client has: once, and once more after a failure. */
export function selfReader({ api, signal }: ConversationParts): () => Promise<User> {
  let user: Promise<User> | undefined;
  return async () => {
    user ??= api.auth.me({ signal });
    // A failure is not kept.
    return await user.catch((error: unknown) => {
      user = undefined;
      throw error;
    });
  };
}
