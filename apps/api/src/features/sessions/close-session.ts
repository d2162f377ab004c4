import { Session } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionParams } from './session-schema.ts';

const body = z
  .strictObject({})
  .nullish()
  .meta({ examples: [{}] });

export function closeSession(app: ZodApp, { authorize, database, inSessionTurn }: Deps): void {
  const response = { 200: Session };
  const schema = {
    tags: ['sessions'],
    operationId: 'closeSession',
    summary: 'Close a session permanently',
    description:
      'For the user who created the session, or an ADMIN. Stops its agents and ends its room; the history stays. A closed session is never opened again, and closing it once more changes nothing.',
    problems: ['forbidden', 'not_found'] as const,
    params: sessionParams,
    body,
    response,
  };
  app.post('/sessions/:id/close', { schema }, async ({ userId, params: { id } }) => {
    await authorize(userId, 'closeSession', await db.findSession(database, { id, userId }));
    await inSessionTurn(id, userId, (unlimited) => db.closeSession(unlimited, id, 'user', userId));
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    return await describeSession(database, row);
  });
}
