import type { Login, Me } from '@session/contract';
import type { Bearer } from '../http/bearer.ts';
import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';

/** Accounts. None of these requests is repeated by itself: the API keeps no key for them. */
export function authOf(transport: Transport, bearer: Bearer) {
  return {
    /** Makes an account, and signs in. Throws `email_taken`. */
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
    /** Returns who the caller is, and the projects they belong to. */
    me: (options?: CallOptions) => transport.json<Me>({ ...reading(options), path: '/auth/me' }),
    /** When the token that was used last expires; null when there is none, or it does not say. */
    get expiresAt(): Date | null {
      return bearer.expiresAt;
    },
  };
}
