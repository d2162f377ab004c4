import { Login } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { NewPassword, Password } from './auth-schema.ts';
import { type CheckPassword, checkOwnPassword, OWN_PASSWORD_CODES } from './check-password.ts';
import { loginOf } from './login-of.ts';

const body = z
  .strictObject({ current: Password, new: NewPassword })
  .meta({ examples: [{ current: 'correct horse', new: 'battery staple' }] });

export function changePassword(app: ZodApp, deps: Deps, checkPassword: CheckPassword): void {
  const { config, database, endedTokens } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'changePassword',
    summary: 'Change my password',
    description:
      'Ends all tokens of your account, also this one, and returns a new one. Requests that wait or stream end, too. Wrong passwords count as those of logins do.',
    problems: [...OWN_PASSWORD_CODES] as const,
    body,
    response: { 200: Login },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { people: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.post('/auth/password', route, async (request, reply) => {
    const { current, new: password } = request.body;
    using checked = await checkOwnPassword(checkPassword, deps, request, reply, current);
    const { user } = checked;
    const passwordHash = await checked.hash(password);
    const change = { userId: user.id, formerHash: user.passwordHash, passwordHash };
    const tokenVersion = await db.changePassword(database, change);
    if (tokenVersion === undefined) {
      throw new AppError('wrong_password', 'the password was changed meanwhile');
    }
    endedTokens.note(user.id, tokenVersion);
    return loginOf(app, { ...user, tokenVersion });
  });
}
