import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { Login, Me } from '../shapes.ts';

/** Added to the usual time limit, because a request may wait up to 30 s for its turn to hash a password. */
export const TURN_MS = 25_000;

/**
 * Returns the calls for accounts. Signing up and logging in are never retried, because the API takes no idempotency key
 * for them.
 */
export function authOf(transport: Transport) {
  const enter = (path: string, body: object, { signal }: CallOptions = {}) => {
    return transport.json<Login>({
      method: 'POST',
      path,
      retry: 'never',
      isPublic: true,
      body,
      signal,
      waitMs: TURN_MS,
    });
  };
  return {
    /** Creates an account, and returns a token for it. Throws `email_taken`. */
    signUp: (
      body: { readonly email: string; readonly password: string; readonly name: string },
      options?: CallOptions,
    ) => enter('/auth/signup', body, options),
    /** Returns a token for an account. Throws `invalid_credentials`. */
    logIn: (body: { readonly email: string; readonly password: string }, options?: CallOptions) =>
      enter('/auth/login', body, options),
    me: (options?: CallOptions) => transport.json<Me>(reading('/auth/me', options)),
    /** Returns when the last used token expires; null without a token, or if it has no expiry time. */
    get expiresAt(): Date | null {
      return transport.options.bearer.expiresAt;
    },
  };
}
