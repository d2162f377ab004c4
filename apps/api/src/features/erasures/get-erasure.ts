import { Erasure } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { erasureOf, erasureParams } from './erasure-schema.ts';

export function getErasure(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['erasures'],
    operationId: 'getErasure',
    summary: 'Get the receipt of an erasure',
    description: 'For an ADMIN. Receipts are kept as long as the project.',
    problems: ['forbidden', 'not_found'] as const,
    params: erasureParams,
    response: { 200: Erasure },
  };
  app.get('/erasures/:id', { schema }, async ({ userId, params: { id } }) => {
    const found = await db.findErasure(database, { id, userId });
    return erasureOf((await authorize(userId, 'erase', found)).erasure);
  });
}
