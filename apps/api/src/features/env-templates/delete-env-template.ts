import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateParams } from './env-template-schema.ts';

export function deleteEnvTemplate(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['env-templates'],
    operationId: 'deleteEnvTemplate',
    summary: 'Delete an environment template',
    description: 'Agents that run already go on. For an ADMIN.',
    problems: ['forbidden', 'not_found'] as const,
    params: templateParams,
    response,
  };
  app.delete('/env-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findEnvTemplate(database, { id, userId });
    const template = await authorize(userId, 'writeTemplates', found);
    await db.deleteEnvTemplate(database, template, userId);
    return reply.code(204).send(null);
  });
}
