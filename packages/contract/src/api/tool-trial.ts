import * as z from 'zod';
import { AgentTemplateValues } from './agent-template.ts';
import { Id } from './parameters.ts';

export const ToolTrialRequest = z
  .strictObject({
    arguments: z.record(z.string(), z.unknown()).optional().meta({
      description: 'What a model would fill in',
    }),
    envTemplateId: Id.optional().meta({
      description:
        'The environment template with the secrets of the tool: by default that of the project',
    }),
    variables: AgentTemplateValues.optional().meta({
      description: 'Values of the variables of the agent template',
    }),
  })
  .meta({ id: 'ToolTrialRequest', examples: [{ arguments: { day: '2026-12-01' } }] });

export const ToolTrial = z
  .object({
    state: z.enum(['done', 'failed', 'cancelled', 'timeout']),
    status: z
      .number()
      .nullable()
      .meta({ description: 'The status of the HTTP answer, if there was one' }),
    durationMs: z.number(),
    result: z.string().meta({
      description: 'What a model would read: the answer with secrets masked, or why there is none',
    }),
    truncated: z.boolean().meta({ description: 'Whether the answer was cut' }),
  })
  .meta({
    id: 'ToolTrial',
    examples: [
      { state: 'done', status: 200, durationMs: 212, result: '{"rooms":2}', truncated: false },
    ],
  });
export type ToolTrial = z.infer<typeof ToolTrial>;
