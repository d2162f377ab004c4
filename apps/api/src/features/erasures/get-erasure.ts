import { Erasure } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { erasureOf, erasureParams } from './erasure-schema.ts';

export function getErasure(app: ZodApp, { authorize, config, database }: Deps): void {
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
    const { erasure } = await authorize(userId, 'erase', found);
    return erasureOf(erasure, config.backupDays);
  });
}
