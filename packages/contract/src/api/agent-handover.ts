import * as z from 'zod';
import { PERSON } from './agent-tool.ts';
import { isUnique } from './tool-fields.ts';

const MAX_AGENTS = 8;

const text = (maxLength: number) => z.string().trim().min(1).max(maxLength);

const person = {
  say: text(500)
    .optional()
    .meta({ description: 'What the agent says then; without it, its model finds the words' }),
  waitSeconds: z.int().min(1).max(3600).optional().meta({
    description:
      'For how long the agent is silent until a person comes, 120 by default. Then it goes on by itself',
  }),
};

const successor = {
  agentTemplateId: z.uuid().meta({ description: 'The agent template that goes on' }),
  name: text(64).meta({ description: 'What the model calls that agent' }),
  description: text(300)
    .optional()
    .meta({ description: 'Tells the model what that agent is for, and when to hand over to it' }),
};

export const NewHandover = z
  .strictObject({
    persons: z.strictObject(person).optional(),
    agents: z
      .array(z.strictObject(successor))
      .min(1)
      .max(MAX_AGENTS)
      .refine((agents) => isUnique(agents.map(({ name }) => name.toLowerCase())), {
        error: 'each name may be used only once',
      })
      .refine((agents) => agents.every(({ name }) => name.toLowerCase() !== PERSON), {
        error: `choose another name than ${PERSON}, by which the model asks for a person`,
      })
      .optional()
      .meta({
        description:
          'The other agents to which this one may hand over. The service starts such an agent with the same variables, and stops this one once that agent is in the room',
      }),
  })
  .refine(({ persons, agents }) => persons ?? agents, {
    error: 'name persons, agents or both',
  });

export const StoredHandover = z.object({
  persons: z.object(person).optional(),
  agents: z.array(z.object(successor)).optional(),
});

/** A handover to a person that was still open when the agent's program ended. */
export const OpenHandover = z.object({
  state: z.enum(['requested', 'taken']),
  reason: z.string(),
});
export type OpenHandover = z.infer<typeof OpenHandover>;

/** The handover by which this agent continues in the place of another agent. */
export const TakenOver = z.object({
  id: z.uuid(),
  from: z.string(),
  to: z.object({ agentTemplateId: z.string(), name: z.string() }),
  reason: z.string(),
});
export type TakenOver = z.infer<typeof TakenOver>;
