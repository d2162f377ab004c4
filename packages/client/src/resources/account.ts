import { type CallOptions, changing, posting } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { Login, Me } from '../shapes.ts';
import { TURN_MS } from './auth.ts';

export function accountOf(transport: Transport) {
  return {
    /**
     * Changes the name or the e-mail address. A new address needs the current password. Throws `wrong_password`,
     * `email_taken`.
     */
    change: (
      body: { readonly name?: string; readonly email?: string; readonly password?: string },
      options?: CallOptions,
    ) => transport.json<Me>({ ...changing('/auth/me', body, options), waitMs: TURN_MS }),
    /** Ends all tokens of the account, and returns a new one. Throws `wrong_password`. */
    changePassword: (
      body: { readonly current: string; readonly new: string },
      options?: CallOptions,
    ) => transport.json<Login>({ ...posting('/auth/password', body, options), waitMs: TURN_MS }),
    /**
     * Requests a mail with a link to set a forgotten password, without a token. Does not reveal whether the account exists.
     */
    forgotPassword: async (body: { readonly email: string }, options?: CallOptions) => {
      await transport.json<object>({
        ...posting('/auth/forgotten', body, options),
        isPublic: true,
      });
    },
    /** Sets a password with a link's secret, without a token, and returns a token. Throws `link_invalid`. */
    resetPassword: (
      body: { readonly secret: string; readonly password: string },
      options?: CallOptions,
    ) =>
      transport.json<Login>({
        ...posting('/auth/reset-password', body, options),
        isPublic: true,
        waitMs: TURN_MS,
      }),
    /** Ends all tokens of the account, including this client's. */
    signOut: (options?: CallOptions) => transport.nothing(posting('/auth/sign-out', {}, options)),
    /**
     * Deletes the account. An account without a password needs a token that is at most five minutes old. Throws `wrong_password`,
     * `no_password`, and `last_owner` or `project_account` for the projects of the account.
     */
    delete: (body: { readonly password?: string }, { signal }: CallOptions = {}) => {
      const rest = { body, signal, waitMs: TURN_MS };
      return transport.nothing({ method: 'DELETE', path: '/auth/me', retry: 'refused', ...rest });
    },
  };
}
