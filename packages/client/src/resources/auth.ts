import type { Login, Me } from '@session/contract';
import type { Bearer } from '../http/bearer.ts';
import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';

/** Accounts. Signing up and logging in are never retried: the API takes no idempotency key for them. */
export function authOf(transport: Transport, bearer: Bearer) {
  return {
    /** Creates an account, and returns a token for it. Throws `email_taken`. */
    signUp: (
      body: { readonly email: string; readonly password: string; readonly name: string },
      { signal }: CallOptions = {},
    ) => {
      const path = '/auth/signup';
      const call = { method: 'POST', path, retry: 'never', isPublic: true, body, signal } as const;
      return transport.json<Login>(call);
    },
    /** Returns a token for an account. Throws `invalid_credentials`. */
    logIn: (
      body: { readonly email: string; readonly password: string },
      { signal }: CallOptions = {},
    ) => {
      const path = '/auth/login';
      const call = { method: 'POST', path, retry: 'never', isPublic: true, body, signal } as const;
      return transport.json<Login>(call);
    },
    /** Returns the caller, with the projects that the caller belongs to. */
    me: (options?: CallOptions) => transport.json<Me>({ ...reading(options), path: '/auth/me' }),
    /** Returns when the last used token expires; null when there is no token or the token does not say. */
    get expiresAt(): Date | null {
      return bearer.expiresAt;
    },
  };
}
