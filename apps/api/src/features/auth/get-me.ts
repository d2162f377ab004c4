import { Me } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

export function getMe(app: ZodApp, { database }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'getMe',
    summary: 'Get my account and my projects',
    description: 'Returns your account, and your role in each of your projects.',
    response: { 200: Me },
  };
  app.get('/auth/me', { schema, config: { people: true } }, async ({ userId }) => {
    const me = await db.findUserWithMemberships(database, userId);
    if (!me) throw new AppError('unauthorized', 'the user no longer exists');
    return me;
  });
}
