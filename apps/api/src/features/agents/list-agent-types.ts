import { capabilitiesOf, requiredVariables } from '@session/agents';
import { AgentType, EXTERNAL_ROLE, examplesOf } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

export function listAgentTypes(app: ZodApp, { config, launchCheck }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'listAgentTypes',
    summary: 'List the roles of agents',
    description:
      'Lists what `role` of `POST /sessions/{sessionId}/agents` may be, and which variables an environment template needs for it.',
    response: { 200: z.array(AgentType).meta({ examples: [examplesOf(AgentType)] }) },
  };
  app.get('/agent-types', { schema }, async () => [
    ...config.agents.roles.map((role) => ({
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
    EXTERNAL,
  ]);
}

const EXTERNAL: AgentType = {
  role: EXTERNAL_ROLE,
  title: 'External agent',
  description:
    'A program of yours, wherever it runs. The answer to the start has the variables with which it joins the room. The service does not run it.',
  capabilities: ['text', 'hearing', 'voice'],
  aliasOf: null,
  requiredVariables: [],
  optionalVariables: [],
  variables: [],
  available: true,
};
