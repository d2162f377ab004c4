import * as z from 'zod';
import { byteLength } from './byte-length.ts';
import { EXAMPLE } from './example.ts';

const MAX_STEPS = 50;
/** An agent gets its plan in one environment variable, which Linux limits to 128 KiB. */
const MAX_PLAN_BYTES = 100_000;

const Name = z.string().trim().min(1).max(200);
const Id = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'an id has 1 to 64 characters of A-Z, a-z, 0-9, dot, _ and -');
const Choices = z.array(Name).min(1).max(100);
const DeliverableType = z.enum(['text', 'number', 'date', 'choice']);

const NewDeliverable = z.union([
  Name,
  z
    .strictObject({
      id: Id.optional(),
      title: Name,
      type: DeliverableType.default('text'),
      choices: Choices.optional(),
      required: z.boolean().optional(),
    })
    .refine(({ type, choices }) => (type === 'choice') === (choices !== undefined), {
      error: 'choices are required for the type choice, and allowed for no other type',
      path: ['choices'],
    }),
]);

const NewStep = z.strictObject({
  id: Id.optional(),
  title: Name,
  instructions: z.string().trim().min(1).max(8000),
  deliverable: NewDeliverable.optional(),
});

const Steps = z
  .array(NewStep)
  .min(1)
  .max(MAX_STEPS)
  .superRefine((steps, context) => {
    const seen = new Set<string>();
    for (const [index, { id, deliverable }] of steps.entries()) {
      const deliverableId = typeof deliverable === 'object' ? deliverable.id : undefined;
      for (const [path, usedId] of [
        [[index, 'id'], id],
        [[index, 'deliverable', 'id'], deliverableId],
      ] as const) {
        const isTaken = usedId !== undefined && seen.has(usedId);
        if (isTaken)
          context.addIssue({
            code: 'custom',
            message: 'each id may be used only once',
            path: [...path],
          });
        if (usedId !== undefined) seen.add(usedId);
      }
    }
  })
  .refine((steps) => byteLength(JSON.stringify(steps)) <= MAX_PLAN_BYTES, {
    error: `all steps together have at most ${MAX_PLAN_BYTES} bytes as JSON`,
  });

const Description = z.string().trim().max(2000).nullish();

export const NewPlanTemplate = z
  .strictObject({ name: Name, description: Description, steps: Steps })
  .meta({
    id: 'NewPlanTemplate',
    examples: [
      {
        name: 'Booking',
        steps: [{ title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' }],
      },
    ],
  });
export type NewPlanTemplate = z.infer<typeof NewPlanTemplate>;

export const PlanTemplateChange = z
  .strictObject({ name: Name.optional(), description: Description, steps: Steps.optional() })
  .meta({ id: 'PlanTemplateChange', examples: [{ description: 'For guests who call' }] });
export type PlanTemplateChange = z.infer<typeof PlanTemplateChange>;

export const PlanStep = z
  .object({
    id: z.string(),
    title: z.string(),
    instructions: z.string(),
    deliverable: z
      .object({
        id: z.string(),
        title: z.string(),
        type: DeliverableType,
        choices: z.array(z.string()).optional(),
        required: z.boolean().optional(),
      })
      .optional(),
  })
  .meta({ id: 'PlanStep' });
export type PlanStep = z.infer<typeof PlanStep>;

export const PlanTemplate = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    steps: z.array(PlanStep),
    version: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'PlanTemplate',
    examples: [
      {
        id: EXAMPLE.planTemplate,
        projectId: EXAMPLE.project,
        name: 'Booking',
        description: null,
        steps: [
          {
            id: 'step-1',
            title: 'Day',
            instructions: 'Ask for the day.',
            deliverable: { id: 'deliverable-1', title: 'The day', type: 'text' },
          },
        ],
        version: 1,
        createdAt: EXAMPLE.at,
        updatedAt: EXAMPLE.at,
      },
    ],
  });
export type PlanTemplate = z.infer<typeof PlanTemplate>;
