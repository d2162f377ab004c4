import { ApiKey, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { MAX } from 'uuid';
import type { Deps } from '../../deps.ts';
import { toPage } from '../../http/page.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from '../projects/project-schema.ts';
import { apiKeyOf } from './api-key-schema.ts';

export function listApiKeys(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(ApiKey) };
  const schema = {
    tags: ['api-keys'],
    operationId: 'listApiKeys',
    summary: 'List the API keys of a project, the newest first',
    description: 'For an ADMIN or an OWNER. Secrets are not shown again.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    querystring: PageQuery,
    response,
  };
  const route = { schema, config: { people: true } };
  app.get('/projects/:id/api-keys', route, async ({ userId, params, query }) => {
    const { limit, cursor } = query;
    const page = { projectId: params.id, userId, before: cursor ?? MAX, limit: limit + 1 };
    const found = await db.listApiKeys(database, page);
    const { keys } = await authorize(userId, 'manageApiKeys', found);
    return toPage(keys.map(apiKeyOf), limit);
  });
}
