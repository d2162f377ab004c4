import * as z from 'zod';
import { EXAMPLE } from './example.ts';

const MOST_STEPS = 50;
/** An agent gets its plan in one variable of its environment, which Linux limits to 128 KiB. */
const MOST_BYTES = 100_000;

const Name = z.string().trim().min(1).max(200);
const Id = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'an id has 1 to 64 of A-Z, a-z, 0-9, dot, _ and -');
const choices = z.array(Name).min(1).max(100);
const type = z.enum(['text', 'number', 'date', 'choice']);

/** What a step is to bring. A text alone is short for one with that title. */
const NewDeliverable = z.union([
  Name,
  z
    .strictObject({
      id: Id.optional(),
      title: Name,
      type: type.default('text'),
      choices: choices.optional(),
      required: z.boolean().optional(),
    })
    .refine((given) => (given.type === 'choice') === (given.choices !== undefined), {
      error: 'a choice has choices, and nothing else has',
      path: ['choices'],
    }),
]);

/** A step as it is sent. An id that is missing is made. */
const NewStep = z.strictObject({
  id: Id.optional(),
  title: Name,
  instructions: z.string().trim().min(1).max(8000),
  deliverable: NewDeliverable.optional(),
});

const Steps = z
  .array(NewStep)
  .min(1)
  .max(MOST_STEPS)
  .superRefine((steps, context) => {
    const seen = new Set<string>();
    for (const [index, { id, deliverable }] of steps.entries()) {
      const deliverableId = typeof deliverable === 'object' ? deliverable.id : undefined;
      for (const [path, given] of [
        [[index, 'id'], id],
        [[index, 'deliverable', 'id'], deliverableId],
      ] as const) {
        const isTaken = given !== undefined && seen.has(given);
        if (isTaken)
          context.addIssue({ code: 'custom', message: 'an id is used once', path: [...path] });
        if (given !== undefined) seen.add(given);
      }
    }
  })
  .refine((steps) => new TextEncoder().encode(JSON.stringify(steps)).length <= MOST_BYTES, {
    error: `all steps together have at most ${MOST_BYTES} bytes as JSON`,
  });

const Description = z.string().trim().max(2000).nullish();

/** What it takes to make a plan template. */
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

/** What is to change in a plan template; steps are replaced, all of them. */
export const PlanTemplateChange = z
  .strictObject({ name: Name.optional(), description: Description, steps: Steps.optional() })

  .meta({ id: 'PlanTemplateChange', examples: [{ description: 'For guests who call' }] });
export type PlanTemplateChange = z.infer<typeof PlanTemplateChange>;

/** A step of a plan. Its id, and that of its deliverable, are used once in the plan. */
export const PlanStep = z
  .object({
    id: z.string(),
    title: z.string(),
    instructions: z.string(),
    deliverable: z
      .object({
        id: z.string(),
        title: z.string(),
        type,
        choices: z.array(z.string()).optional(),
        required: z.boolean().optional(),
      })
      .optional(),
  })
  .meta({ id: 'PlanStep' });
export type PlanStep = z.infer<typeof PlanStep>;

/** A plan template as the API gives it, and as an agent gets it. */
export const PlanTemplate = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    steps: z.array(PlanStep),
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
        createdAt: EXAMPLE.at,
        updatedAt: EXAMPLE.at,
      },
    ],
  });
export type PlanTemplate = z.infer<typeof PlanTemplate>;
