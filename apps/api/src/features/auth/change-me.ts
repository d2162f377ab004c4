import { Me } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { Email, Password, UserName } from './auth-schema.ts';
import { type CheckPassword, checkOwnPassword, OWN_PASSWORD_CODES } from './check-password.ts';
import { loginNetworkOf } from './login-network.ts';

const body = z
  .strictObject({
    name: UserName.optional(),
    email: Email.optional(),
    password: Password.optional().describe('Your current password, for a new e-mail address'),
  })
  .refine(({ email, password }) => email === undefined || password !== undefined, {
    path: ['password'],
    error: 'A new e-mail address needs your current password',
  })
  .meta({ examples: [{ name: 'Ada L.' }] });

export function changeMe(app: ZodApp, deps: Deps, checkPassword: CheckPassword): void {
  const { config, database } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'changeMe',
    summary: 'Change my name or e-mail address',
    description:
      'Changes the fields that are sent. A new e-mail address, with which you log in from then on, needs your current password; an account that signs in with the identity provider keeps the address from there.',
    problems: ['email_taken', ...OWN_PASSWORD_CODES] as const,
    body,
    response: { 200: Me },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { people: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.patch('/auth/me', route, async (request, reply) => {
    const { userId, ip } = request;
    const { name, email, password } = request.body;
    let passwordHash: string | undefined;
    if (email !== undefined && password !== undefined) {
      using checked = await checkOwnPassword(checkPassword, deps, request, reply, password);
      passwordHash = checked.user.passwordHash;
    }
    const loginNetwork = loginNetworkOf(config.jwt, email ?? '', ip);
    const change = { userId, name, email, loginNetwork, passwordHash };
    const outcome = await db.updateAccount(database, change);
    if (outcome === 'email_taken') {
      const detail = 'Another account has this e-mail address: choose another one.';
      throw new AppError('email_taken', 'another account has the address', { detail });
    }
    if (outcome === 'unchanged' && email !== undefined) {
      throw new AppError('wrong_password', 'the password was changed meanwhile');
    }
    const me = await db.findUserWithMemberships(database, userId);
    if (!me) throw accountGone();
    return me;
  });
}
