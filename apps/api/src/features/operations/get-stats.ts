import { Statistics } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';

export function getStats(app: ZodApp, { database }: Deps): void {
  const schema = {
    tags: ['operations'],
    operationId: 'getStats',
    summary: 'Get statistics of my projects',
    description:
      'Counts sessions, messages and agents of all projects that you belong to, and lists their recorders and recorded sessions.',
    response: { 200: Statistics },
  };
  app.get('/monitoring/stats', { schema, config: { people: true } }, async ({ userId }) => {
    if (!(await db.findUser(database, userId))) throw accountGone();
    return await db.readStatistics(database, userId);
  });
}
