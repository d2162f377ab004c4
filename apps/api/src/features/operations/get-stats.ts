import { Statistics } from '@session/contract';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

/** `GET /monitoring/stats`: what goes on in the caller's projects, and nothing beyond. */
export function getStats(app: ZodApp, { statistics, users }: Deps): void {
  const schema = {
    tags: ['operations'],
    operationId: 'getStats',
    summary: 'What goes on in my projects',
    response: { 200: Statistics },
  };
  app.get('/monitoring/stats', { schema }, async ({ userId }) => {
    if (!(await users.findUser(userId))) throw new AppError('unauthorized', 'the user is gone');
    return await statistics.readStatistics(userId);
  });
}
