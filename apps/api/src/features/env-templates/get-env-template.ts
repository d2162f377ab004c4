import { EnvTemplate } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { envTemplateOf, templateParams } from './env-template-schema.ts';

export function getEnvTemplate(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['env-templates'],
    operationId: 'getEnvTemplate',
    summary: 'Get an environment template, without its values',
    description:
      'Returns the names of the variables. Their values are never returned. For members of the project.',
    problems: ['not_found'] as const,
    params: templateParams,
    response: { 200: EnvTemplate },
  };
  app.get('/env-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findEnvTemplate(database, { id, userId });
    return replyTagged(reply, envTemplateOf(await authorize(userId, 'read', found)));
  });
}
