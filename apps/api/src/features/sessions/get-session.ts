import { Session } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionParams } from './session-schema.ts';

export function getSession(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['sessions'],
    operationId: 'getSession',
    summary: 'Get a session and the state of its recording',
    description:
      '`recording` says whether the room is recorded now, how many messages are stored, which times are covered, and which are gaps.',
    problems: ['not_found'] as const,
    params: sessionParams,
    response: { 200: Session },
  };
  const route = { schema, config: { participant: 'id' as const } };
  app.get('/sessions/:id', route, async ({ caller, userId, params: { id } }) => {
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    const session = await describeSession(database, row);
    // These are the customer's own data, not for the end user.
    return caller.kind === 'participant' ? { ...session, metadata: {}, externalId: null } : session;
  });
}
