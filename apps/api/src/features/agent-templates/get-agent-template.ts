import { AgentTemplate } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateParams, withDefinition } from './agent-template-schema.ts';

export function getAgentTemplate(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: AgentTemplate };
  const schema = {
    tags: ['agent-templates'],
    operationId: 'getAgentTemplate',
    summary: 'Get an agent template',
    description: 'Returns the newest version with all its fields. For members of the project.',
    problems: ['not_found'] as const,
    params: templateParams,
    response,
  };
  app.get('/agent-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await db.findAgentTemplate(database, { id, userId });
    return replyTagged(reply, withDefinition(await authorize(userId, 'read', found)));
  });
}
