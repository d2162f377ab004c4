import * as z from 'zod';

/** A role that an agent can have, with the variables that its environment template must and may hold. */
export const AgentType = z
  .object({
    role: z.string(),
    title: z.string(),
    description: z.string(),
    requiredVariables: z.array(z.string()),
    optionalVariables: z.array(z.string()),
    /** Whether its program is installed here. If not, an agent of this role stops right after its start. */
    available: z.boolean(),
  })
  .meta({
    id: 'AgentType',
    examples: [
      {
        role: 'light-agent',
        title: 'Light agent',
        description: 'A text conversation with a language model.',
        requiredVariables: ['LLM_API_KEY'],
        optionalVariables: ['LLM_BASE_URL', 'LLM_MODEL'],
        available: true,
      },
    ],
  });
export type AgentType = z.infer<typeof AgentType>;
