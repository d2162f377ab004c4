import { ProviderSignIn } from '@session/contract';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { sealSignIn } from './sign-in-handle.ts';

const body = z
  .strictObject({})
  .nullish()
  .meta({ examples: [{}] });

export const NO_PROVIDER =
  'This service has no identity provider: sign in with a password, by POST /auth/login.';

export function startProviderSignIn(app: ZodApp, deps: Deps): void {
  const { config, provider } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'startProviderSignIn',
    summary: 'Begin a sign-in with the identity provider',
    description:
      'Returns the page of the provider where the person signs in. The provider sends the browser to the page `/sign-in/provider` of the console, with `code` and `state`; send these with the `handle` to `POST /auth/provider/finish`. Keep the handle in the browser that has begun.',
    problems: ['not_found', 'provider_unavailable', 'too_many_requests'] as const,
    body,
    response: { 200: ProviderSignIn },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { public: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.post('/auth/provider/start', route, async () => {
    if (!provider) throw new AppError('not_found', 'no identity provider', { detail: NO_PROVIDER });
    const { url, secrets } = await provider.begin();
    return { url, handle: sealSignIn(deps, secrets) };
  });
}
