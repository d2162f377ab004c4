import { Login } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { Email, Password } from './auth-schema.ts';
import { type CheckPassword, PASSWORD_CODES } from './check-password.ts';
import { loginOf } from './login-of.ts';

const body = z
  .strictObject({ email: Email, password: Password })
  .meta({ examples: [{ email: 'ada@example.org', password: 'correct horse' }] });

export function logIn(app: ZodApp, { config }: Deps, checkPassword: CheckPassword): void {
  const schema = {
    tags: ['auth'],
    operationId: 'logIn',
    summary: 'Log in',
    description:
      'Returns a token for the header `Authorization: Bearer <token>`. Wrong passwords are counted: after ten in 15 minutes a network has to wait for this account. A new network may have to wait too while many wrong passwords for this account come from anywhere.',
    problems: ['invalid_credentials', ...PASSWORD_CODES] as const,
    body,
    response: {
      200: Login,
    },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { public: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.post('/auth/login', route, async (request, reply) => {
    const attempt = { ...request.body, refusal: 'invalid_credentials' } as const;
    using checked = await checkPassword(request, reply, attempt);
    return loginOf(app, checked.user);
  });
}
