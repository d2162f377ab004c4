import { CATALOGUE } from '@session/agents';
import { AgentType, examplesOf } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

/** `GET /agent-types`: the kinds of agents, and whether each is installed here. */
export function listAgentTypes(app: ZodApp, { isInstalled }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'listAgentTypes',
    summary: 'The kinds of agents',
    response: { 200: z.array(AgentType).meta({ examples: [examplesOf(AgentType)] }) },
  };
  app.get('/agent-types', { schema }, async () =>
    CATALOGUE.map(({ program, requiredVariables, optionalVariables, ...type }) => ({
      role: type.role,
      title: type.title,
      description: type.description,
      requiredVariables: [...requiredVariables],
      optionalVariables: [...optionalVariables],
      available: isInstalled(program),
    })),
  );
}
