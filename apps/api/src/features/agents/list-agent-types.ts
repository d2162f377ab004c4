import { CATALOGUE } from '@session/agents';
import { AgentType } from '@session/contract';
import * as z from 'zod';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';

/** `GET /agent-types`: what can be started. */
export function listAgentTypes(app: ZodApp): void {
  const schema = { response: { 200: z.array(AgentType), ...failures() } };
  app.get('/agent-types', { schema }, async () =>
    CATALOGUE.map(({ role, title, description, requiredVariables, optionalVariables }) => ({
      role,
      title,
      description,
      requiredVariables: [...requiredVariables],
      optionalVariables: [...optionalVariables],
    })),
  );
}
