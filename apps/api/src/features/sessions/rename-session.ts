import { Session } from '@session/contract';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionBody, sessionParams } from './session-schema.ts';

/** `PATCH /sessions/:id`: 200 with the session under its new name. */
export function renameSession(app: ZodApp, deps: Deps): void {
  const { authorize, sessions, recordingIntervals } = deps;
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
    await authorize(userId, 'renameSession', await sessions.findSession({ id, userId }));
    await sessions.renameSession(id, name);
    const row = await authorize(userId, 'read', await sessions.findSession({ id, userId }));
    return await describeSession(row, recordingIntervals);
  });
}
