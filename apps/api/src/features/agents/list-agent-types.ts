import { CATALOGUE, capabilitiesOf, requiredVariables } from '@session/agents';
import { AgentType, examplesOf } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

export function listAgentTypes(app: ZodApp, { launchCheck }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'listAgentTypes',
    summary: 'List the roles of agents',
    description:
      'Lists what `role` of `POST /sessions/{sessionId}/agents` may be, and which variables an environment template needs for it.',
    response: { 200: z.array(AgentType).meta({ examples: [examplesOf(AgentType)] }) },
  };
  app.get('/agent-types', { schema }, async () =>
    CATALOGUE.map((role) => ({
      role: role.name,
      title: role.title,
      description: role.description,
      capabilities: capabilitiesOf(role),
      aliasOf: role.aliasOf ?? null,
      requiredVariables: requiredVariables(role),
      optionalVariables: role.variables.flatMap(({ name, required }) => (required ? [] : name)),
      variables: [...role.variables],
      available: launchCheck.isInstalled(role),
    })),
  );
}
