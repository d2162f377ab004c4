import { Login } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { linkHashOf } from '../../http/links/link-secret.ts';
import { LinkSecret, type WrongLinks } from '../../http/links/wrong-links.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { NewPassword } from './auth-schema.ts';
import { assertPasswordsOn, PASSWORD_CODES } from './check-password.ts';
import { loginNetworkOf } from './login-network.ts';
import { loginOf } from './login-of.ts';

const body = z.strictObject({ secret: LinkSecret, password: NewPassword }).meta({
  examples: [{ secret: 'what-follows-the-hash', password: 'battery staple' }],
});

export function resetPassword(app: ZodApp, deps: Deps, wrongLinks: WrongLinks): void {
  const { config, database, endedTokens, passwords, reserved } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'resetPassword',
    summary: 'Set a forgotten password by a link',
    description:
      'Replaces the password of the account to which the link was sent, uses the link up, ends all tokens of the account, and returns a new one. Links that are wrong, used, replaced or expired get the same answer, and are counted by network.',
    problems: ['link_invalid', ...PASSWORD_CODES] as const,
    body,
    response: { 200: Login },
  };
  const route = { schema, handlerTimeout: LONG_REQUEST_MS, config: { public: true } };
  app.post('/auth/reset-password', route, async (request, reply) => {
    assertPasswordsOn(config);
    await wrongLinks.refuseNetwork(request, reply);
    const { secret, password } = request.body;
    const secretHash = linkHashOf(secret);
    // Hashing is expensive, and done only for requests with a valid link.
    if (!(await db.findPasswordLink(reserved, secretHash))) return await wrongLinks.refuse(request);
    using turn = passwords.takeTurn('logIn', request.ip);
    const passwordHash = await turn.hash(password);
    const user = await db.resetPassword(database, { secretHash, passwordHash });
    if (!user) return await wrongLinks.refuse(request);
    endedTokens.note(user.id, user.tokenVersion);
    const network = loginNetworkOf(config.jwt, user.email, request.ip);
    // The link is used up, so a failure here must not fail the request: the person would have neither a token nor
    // another link.
    await db.rememberLoginNetwork(reserved, user.id, network).catch((error: unknown) => {
      request.log.warn({ err: error }, 'remembering network of login failed');
    });
    return loginOf(app, user);
  });
}
