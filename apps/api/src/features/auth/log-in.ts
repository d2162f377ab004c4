import { Login } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { Email, Password } from './auth-schema.ts';
import { countFailedLogins } from './failed-logins.ts';
import { loginNetworkOf } from './login-network.ts';

// The hash of a random password that nobody knows. It is compared when there is no such user, so that the time of the
// answer does not show whether the user exists.
const UNKNOWN_HASH = '$2b$12$sj5eyXODjTm0hcZZmw/7w.lDbkX0TsIIER9QnWWpg0o0qN1w7l1OK';

const body = z
  .strictObject({ email: Email, password: Password })
  .meta({ examples: [{ email: 'ada@example.org', password: 'correct horse' }] });

export function logIn(app: ZodApp, { config, passwords, reserved }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'logIn',
    summary: 'Log in',
    description:
      'Returns a token for the header `Authorization: Bearer <token>`. Wrong passwords are counted: after ten in 15 minutes a network has to wait for this account. A new network may have to wait too while many wrong passwords for this account come from anywhere.',
    problems: ['invalid_credentials', 'overloaded', 'too_many_requests'] as const,
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
  const failures = countFailedLogins(app);
  app.post('/auth/login', route, async (request, reply) => {
    await failures.refuseNetwork(request, reply);
    const { email, password } = request.body;
    const found = await db.findUserByEmail(reserved, email);
    const network = loginNetworkOf(config.jwt, email, request.ip);
    const isKnown = found?.loginNetworks.includes(network) ?? false;
    using turn = passwords.takeTurn(isKnown ? 'knownLogIn' : 'logIn', request.ip);
    if (!isKnown) await failures.refuseStranger(request, reply);
    const isPassword = await turn.matches(password, found?.passwordHash ?? UNKNOWN_HASH);
    if (!(found && isPassword)) {
      await failures.count(request);
      throw new AppError('invalid_credentials', 'no such user or password');
    }
    const { passwordHash: _hash, loginNetworks, tokenVersion, ...user } = found;
    if (loginNetworks[0] !== network) await db.rememberLoginNetwork(reserved, user.id, network);
    return { user, token: app.jwt.sign({ sub: user.id, v: tokenVersion }) };
  });
}
