import { Erasure, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { erasureOf, projectOfErasures } from './erasure-schema.ts';

export function listErasures(app: ZodApp, { authorize, config, database }: Deps): void {
  const schema = {
    tags: ['erasures'],
    operationId: 'listErasures',
    summary: 'List the erasures of a project, the newest first',
    description: 'For an ADMIN. Each item is a receipt, even while its erasure is running.',
    problems: ['forbidden', 'invalid_cursor', 'not_found'] as const,
    params: projectOfErasures,
    querystring: PageQuery,
    response: { 200: pageOf(Erasure) },
  };
  app.get('/projects/:projectId/erasures', { schema }, async ({ userId, params, query }) => {
    const { limit, cursor } = query;
    const page = { ...params, userId, cursor, limit: limit + 1 };
    const found = await authorize(userId, 'erase', await db.listErasures(database, page));
    if (!found.isCursorKnown)
      throw new AppError('invalid_cursor', 'no such erasure in the project');
    const erasures = found.erasures.map((erasure) => erasureOf(erasure, config.backupDays));
    return toPage(erasures, limit);
  });
}
