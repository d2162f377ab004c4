import { Login } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { Email, NewPassword, UserName } from './auth-schema.ts';
import { assertPasswordsOn } from './check-password.ts';
import { loginNetworkOf } from './login-network.ts';
import { loginOf } from './login-of.ts';

const body = z
  .strictObject({
    email: Email,
    password: NewPassword,
    name: UserName,
  })
  .meta({
    examples: [{ email: 'ada@example.org', password: 'correct horse', name: 'Ada' }],
  });

export function signUp(app: ZodApp, { config, database, passwords }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'signUp',
    summary: 'Sign up',
    description:
      'Creates an account, and returns it with a token, as `POST /auth/login` does. The number of sign-ups from one network is limited.',
    problems: ['passwords_off', 'email_taken', 'overloaded', 'too_many_requests'] as const,
    body,
    response: { 201: Login },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { public: true, ...limitedTo(config.http.signUpsPerMinute) },
  };
  app.post('/auth/signup', route, async (request, reply) => {
    assertPasswordsOn(config);
    using turn = passwords.takeTurn('signUp', request.ip);
    const { email, name, password } = request.body;
    const passwordHash = await turn.hash(password);
    const loginNetwork = loginNetworkOf(config.jwt, email, request.ip);
    const account = { id: uuidv7(), email, name, passwordHash, loginNetwork };
    const user = await db.insertUser(database, account);
    if (!user) throw new AppError('email_taken', 'the e-mail address has an account');
    const login = loginOf(app, { ...user, tokenVersion: 0 });
    return reply.code(201).header('location', '/auth/me').send(login);
  });
}
