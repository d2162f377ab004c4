import { Statistics } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { SharedReads } from './shared-reads.ts';

/**
 * The statements read all sessions of a user, and a console asks every 5 s. Each read holds two of a pool's ten
 * connections.
 */
const READS_AT_ONCE = 2;

export function getStats(app: ZodApp, { database, timeLimits }: Deps): void {
  const unlimited = db.withoutLimit(database);
  const read = (userId: string, leftMs: () => number) =>
    db.readStatistics(unlimited, userId, leftMs);
  const reads = new SharedReads(read, timeLimits.requestMs, READS_AT_ONCE);
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
    return await reads.run(userId);
  });
}
