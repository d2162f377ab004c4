import { MAX_METADATA_KEYS, Session, SessionChange } from '@session/contract';
import * as db from '@session/db';
import { AppError, hasCode } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionParams } from './session-schema.ts';

export function changeSession(app: ZodApp, deps: Deps): void {
  const { authorize, database, inSessionTurn } = deps;
  const response = { 200: Session };
  const schema = {
    tags: ['sessions'],
    operationId: 'changeSession',
    summary: 'Change the name, the metadata or the external id of a session',
    description: `Changes the fields that are named. Of the metadata, the keys that are named are set, or removed by \`null\`, and all other keys stay; afterwards there are at most ${MAX_METADATA_KEYS}. For every member of the project, also when the session is CLOSED. The room and the history stay as they are.`,
    problems: ['not_found', 'external_id_taken'] as const,
    params: sessionParams,
    body: SessionChange,
    response,
  };
  app.patch('/sessions/:id', { schema }, async ({ userId, params: { id }, body }) => {
    const find = () => db.findSession(database, { id, userId });
    await authorize(userId, 'changeSession', await find());
    const changing = inSessionTurn(id, userId, (unlimited) =>
      db.updateSession(unlimited, id, body, MAX_METADATA_KEYS),
    );
    const isChanged = await changing.catch((error: unknown) => {
      if (!hasCode(error, '23505')) throw error;
      throw new AppError('external_id_taken', 'another session has the external id', {
        cause: error,
      });
    });
    const row = await authorize(userId, 'read', await find());
    if (!isChanged) throw tooManyKeys();
    return await describeSession(database, row);
  });
}

function tooManyKeys(): AppError {
  const detail = `The session would have more than ${MAX_METADATA_KEYS} keys of metadata. Remove some of them: send them with the value null.`;
  return new AppError('invalid_request', 'too many keys of metadata', { detail });
}
