import { Statistics } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { ReadsInTurn } from '../messages/reads-in-turn.ts';

/** The statements read all sessions of a user, and a console asks every 5 s. A pool has ten connections. */
const READS_AT_ONCE = 2;

export function getStats(app: ZodApp, { database, timeLimits }: Deps): void {
  const { requestMs: waitMs } = timeLimits;
  const reads = new ReadsInTurn(waitMs, READS_AT_ONCE);
  const unlimited = db.withoutLimit(database);
  const schema = {
    tags: ['operations'],
    operationId: 'getStats',
    summary: 'Get statistics of my projects',
    description:
      'Counts sessions, messages and agents of all projects that you belong to, and lists their recorders and recorded sessions.',
    response: { 200: Statistics },
  };
  app.get('/monitoring/stats', { schema, config: { people: true } }, async (request) => {
    const { userId, signal } = request;
    if (!(await db.findUser(database, userId))) throw accountGone();
    const read = () => db.readStatistics(unlimited, userId);
    return await reads.run(userId, read, { waitMs, signal });
  });
}
