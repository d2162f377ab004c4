import { Me } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { actorOf } from '../../http/callers/caller.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';

export function getMe(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'getMe',
    summary: 'Get my account and my projects',
    description:
      'Returns your account, and your role in each of your projects. An API key and an end user have an account too, without an e-mail address: `email` is then no address.',
    response: { 200: Me },
  };
  app.get('/auth/me', { schema, config: { participant: 'self' } }, async (request) => {
    const { caller, userId } = request;
    if (caller.kind === 'participant') {
      const session = { id: caller.sessionId, userId };
      await authorize(userId, 'read', await db.findSession(database, session));
    }
    const me = await db.findUserWithMemberships(database, actorOf(request));
    if (!me) throw accountGone();
    return me;
  });
}
