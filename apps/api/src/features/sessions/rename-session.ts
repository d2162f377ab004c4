import { Session } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionBody, sessionParams } from './session-schema.ts';

export function renameSession(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const response = { 200: Session };
  const schema = {
    tags: ['sessions'],
    operationId: 'renameSession',
    summary: 'Rename a session',
    description: 'For every member of the project. The room and the history stay as they are.',
    problems: ['not_found'] as const,
    params: sessionParams,
    body: sessionBody,
    response,
  };
  app.patch('/sessions/:id', { schema }, async ({ userId, params: { id }, body: { name } }) => {
    await authorize(userId, 'renameSession', await db.findSession(database, { id, userId }));
    await db.renameSession(database, id, name);
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    return await describeSession(database, row);
  });
}
