import { type CallOptions, posting, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { Login, ProviderSignIn, SignInMethods } from '../shapes.ts';
import { TURN_MS } from './auth.ts';

/** Returns the calls for signing in without a password. None of these calls needs a token. */
export function signInOf(transport: Transport) {
  const isPublic = { isPublic: true, waitMs: TURN_MS } as const;
  return {
    methods: (options?: CallOptions) =>
      transport.json<SignInMethods>({ ...reading('/auth/methods', options), isPublic: true }),
    /**
     * Begins a sign-in with the identity provider. `url` is its page, `handle` is for `finish`. Throws
     * `provider_unavailable`.
     */
    start: (options?: CallOptions) =>
      transport.json<ProviderSignIn>({
        ...posting('/auth/provider/start', {}, options),
        ...isPublic,
      }),
    /**
     * Returns a token for the person who has signed in at the provider, which sent `code` and `state`. Throws
     * `sign_in_failed`, `email_unverified`, `account_linked` and `provider_unavailable`. Never retried, because a code is
     * valid only once.
     */
    finish: (
      body: { readonly handle: string; readonly code: string; readonly state: string },
      options?: CallOptions,
    ) =>
      transport.json<Login>({
        ...posting('/auth/provider/finish', body, options),
        ...isPublic,
        retry: 'never',
      }),
  };
}
