import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { sessionParams } from './session-schema.ts';

export function deleteSession(app: ZodApp, { authorize, database, inSessionTurn }: Deps): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['sessions'],
    operationId: 'deleteSession',
    summary: 'Delete a session and its history',
    description:
      'For an ADMIN. From now on the session is not found. It is closed, its agents stop, and its history is deleted soon after. This cannot be undone.',
    problems: ['forbidden', 'not_found'] as const,
    params: sessionParams,
    response,
  };
  app.delete('/sessions/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    await authorize(userId, 'deleteSession', await db.findSession(database, { id, userId }));
    await inSessionTurn(id, userId, (unlimited) => db.markSessionDeleted(unlimited, id, userId));
    return reply.code(204).send(null);
  });
}
