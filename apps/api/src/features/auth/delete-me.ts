import type { AccountDeletion } from '@session/db';
import * as db from '@session/db';
import { AppError, ERROR_CODES } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { Password } from './auth-schema.ts';
import { type CheckPassword, checkOwnPassword, PASSWORD_CODES } from './check-password.ts';

const body = z
  .strictObject({ password: Password.describe('Your present password') })
  .meta({ examples: [{ password: 'correct horse' }] });

export function deleteMe(app: ZodApp, deps: Deps, checkPassword: CheckPassword): void {
  const { config, database, endedTokens } = deps;
  const schema = {
    tags: ['auth'],
    operationId: 'deleteMe',
    summary: 'Delete my account',
    description:
      'Ends all tokens of your account, and removes you from all projects and their rooms. Your e-mail address is free from then on; what you have said stays in the histories. Projects that count for your account must be deleted or taken over by another OWNER first: a refusal names them.',
    problems: [
      'wrong_password',
      'last_owner',
      'project_account',
      'conflict',
      ...PASSWORD_CODES,
    ] as const,
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
    {
      using _ = await checkOwnPassword(checkPassword, deps, request, reply, request.body.password);
    }
    const version = versionAfter(await db.deleteAccount(database, userId));
    endedTokens.note(userId, version);
    return reply.code(204).send(null);
  });
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
