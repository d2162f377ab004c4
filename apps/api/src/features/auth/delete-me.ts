import type { AccountDeletion } from '@session/db';
import * as db from '@session/db';
import { AppError, ERROR_CODES } from '@session/kit';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { Password } from './auth-schema.ts';
import { type CheckPassword, checkOwnPassword, OWN_PASSWORD_CODES } from './check-password.ts';

const SIGNED_IN_MS = 5 * 60_000;

const SIGN_IN_AGAIN =
  'Sign in again with the identity provider, and delete the account within five minutes, without a password.';

const body = z
  .strictObject({
    password: Password.optional().describe(
      'Your current password; an account without one sends none',
    ),
  })
  .meta({ examples: [{ password: 'correct horse' }] });

export function deleteMe(app: ZodApp, deps: Deps, checkPassword: CheckPassword): void {
  const { config, database, endedTokens } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'deleteMe',
    summary: 'Delete my account',
    description:
      'Ends all tokens of your account, and removes you from all projects and their rooms. An account without a password proves itself by a token that is at most five minutes old. Your e-mail address is free from then on; what you have said stays in the histories. Projects that count for your account must be deleted or taken over by another OWNER first: a refusal names them.',
    problems: ['last_owner', 'project_account', 'conflict', ...OWN_PASSWORD_CODES] as const,
    body,
    response: { 204: z.null() },
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { people: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  app.delete('/auth/me', route, async (request, reply) => {
    const { userId } = request;
    const { password } = request.body;
    if (password === undefined) await assertJustSignedIn(deps, request);
    else (await checkOwnPassword(checkPassword, deps, request, reply, password))[Symbol.dispose]();
    const version = versionAfter(await db.deleteAccount(database, userId));
    endedTokens.note(userId, version);
    return reply.code(204).send(null);
  });
}

async function assertJustSignedIn(
  { config, database, now }: Deps,
  { userId, issuedAt }: FastifyRequest,
): Promise<void> {
  const user = await db.findUser(database, userId);
  const account = user && (await db.findUserByEmail(database, user.email));
  if (!account) throw accountGone();
  const hasPassword = account.passwordHash !== '' && !config.provider?.isOnly;
  if (hasPassword) throw new AppError('wrong_password', 'no password was sent');
  if (now() - issuedAt <= SIGNED_IN_MS) return;
  throw new AppError('no_password', 'the token is too old', { detail: SIGN_IN_AGAIN });
}

function versionAfter(deletion: AccountDeletion): number {
  const { outcome } = deletion;
  if (outcome === 'done') return deletion.version;
  if (outcome === 'changed') {
    const detail = 'Another request changed your projects at the same moment: try again.';
    throw new AppError('conflict', 'the memberships changed', { detail });
  }
  const names = deletion.projects.map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const projects = new Intl.ListFormat('en').format(names);
  const whatToDo =
    outcome === 'last_owner'
      ? 'Delete them, or make another member an OWNER who then removes you.'
      : ERROR_CODES.project_account.detail;
  throw new AppError(outcome, 'projects count for the account', {
    detail: `First give up these projects: ${projects}. ${whatToDo}`,
  });
}
