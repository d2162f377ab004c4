import * as z from 'zod';
import type { FoldedState } from '../room/fold-state.ts';
import { EXAMPLE } from './example.ts';

const StepState = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['pending', 'active', 'done']),
  completedAt: z.string().exactOptional(),
});

const DeliverableState = z.object({
  id: z.string(),
  title: z.string(),
  step: z.string(),
  value: z.union([z.string(), z.number()]),
  version: z.number(),
  at: z.string(),
});

const PlanState = z.object({
  id: z.string(),
  name: z.string(),
  revision: z.number(),
  steps: z.array(StepState),
  deliverables: z.array(DeliverableState),
});

const AgentState = z.object({
  participant: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  message: z.string(),
  at: z.string(),
});

export const SessionState = z
  .object({
    asOf: z.string().nullable().describe('The time of the newest message; null without messages.'),
    plans: z
      .array(PlanState)
      .describe(
        'How far each plan is, the plan whose steps changed last at the end. ' +
          'Of more than 10,000 events of plans, or 4 MiB, the newest count.',
      ),
    agents: z
      .array(AgentState)
      .describe(
        'The state that each agent last reported of itself, the newest report at the end. An interruption is no state.',
      ),
  })
  .meta({
    id: 'SessionState',
    examples: [
      {
        asOf: EXAMPLE.later,
        plans: [
          {
            id: EXAMPLE.planTemplate,
            name: 'Booking',
            revision: 2,
            steps: [{ id: 'step-1', title: 'Day', state: 'active' }],
            deliverables: [
              {
                id: 'deliverable-1',
                title: 'The day',
                step: 'step-1',
                value: '2026-11-24',
                version: 1,
                at: EXAMPLE.later,
              },
            ],
          },
        ],
        agents: [
          {
            participant: 'agent-light-agent-7c8d9e0f',
            state: 'step_started',
            reason: null,
            message: 'Now: Day',
            at: EXAMPLE.at,
          },
        ],
      },
    ],
  }) satisfies z.ZodType<FoldedState>;
export type SessionState = z.infer<typeof SessionState>;
