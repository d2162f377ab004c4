import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { keyParams } from './api-key-schema.ts';

export function deleteApiKey(app: ZodApp, { authorize, database, inProjectTurn }: Deps): void {
  const schema = {
    tags: ['api-keys'],
    operationId: 'deleteApiKey',
    summary: 'Delete an API key',
    description:
      'For an ADMIN. Requests with the key fail from now on. Whoever joined a room with a token of the key is sent out.',
    problems: ['forbidden', 'not_found'] as const,
    params: keyParams,
    response: { 204: z.null() },
  };
  const route = { schema, config: { people: true } };
  app.delete('/api-keys/:id', route, async ({ userId, params }, reply) => {
    const found = await db.findApiKey(database, { id: params.id, userId });
    const { key } = await authorize(userId, 'manageApiKeys', found);
    const caller = { projectId: key.projectId, userId, actions: ['manageApiKeys'] } as const;
    const isDeleted = await whileAuthorized(inProjectTurn, caller, (transaction) =>
      db.deleteApiKey(transaction, key, userId),
    );
    if (!isDeleted) throw new AppError('not_found', 'the key was deleted meanwhile');
    return await reply.code(204).send(null);
  });
}
