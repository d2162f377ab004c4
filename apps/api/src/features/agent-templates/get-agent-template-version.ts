import { AgentTemplateVersion, Id, WholeNumber } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { noVersion, withDefinition } from './agent-template-schema.ts';

const params = z.object({ id: Id, version: WholeNumber(1, 999_999_999) });

export function getAgentTemplateVersion(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['agent-templates'],
    operationId: 'getAgentTemplateVersion',
    summary: 'Get a version of an agent template',
    description:
      'Returns a version with all its fields. A template keeps its newest 50 versions, and those with which agents run. For members of the project.',
    problems: ['not_found'] as const,
    params,
    response: { 200: AgentTemplateVersion },
  };
  app.get(
    '/agent-templates/:id/versions/:version',
    { schema },
    async ({ userId, params: { id, version } }) => {
      const template = await db.findAgentTemplate(database, { id, userId });
      const { projectId } = await authorize(userId, 'read', template);
      const key = { projectId, templateId: id, version };
      const found = await db.findAgentTemplateVersion(database, key);
      if (!found) throw noVersion(version);
      return withDefinition(found);
    },
  );
}
