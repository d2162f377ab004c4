import { Login } from '@session/contract';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountOfPerson } from './account-of-person.ts';
import { loginOf } from './login-of.ts';
import { openSignIn } from './sign-in-handle.ts';
import { NO_PROVIDER } from './start-provider-sign-in.ts';

const text = z.string().min(1).max(4096);
const body = z
  .strictObject({ handle: text, code: text, state: text })
  .meta({ examples: [{ handle: '3f1c9a….Xk2b….pQ7x…', code: 'SplxlOBe…', state: 'af0ifjsl…' }] });

export function finishProviderSignIn(app: ZodApp, deps: Deps): void {
  const { config, provider } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'finishProviderSignIn',
    summary: 'End a sign-in with the identity provider',
    description:
      'Returns a token, as `POST /auth/login` does. The first sign-in of a person needs an e-mail address that the provider has verified. It takes over the account with this address: the account loses its password, and its tokens end. Without such an account it creates one, which has no password.',
    problems: [
      'sign_in_failed',
      'email_unverified',
      'not_found',
      'account_linked',
      'provider_unavailable',
      'too_many_requests',
    ] as const,
    body,
    response: { 200: Login },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { public: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.post('/auth/provider/finish', route, async ({ body: { handle, code, state } }) => {
    if (!provider) throw new AppError('not_found', 'no identity provider', { detail: NO_PROVIDER });
    const person = await provider.end(openSignIn(deps, handle), { code, state });
    return loginOf(app, await accountOfPerson(deps, person));
  });
}
