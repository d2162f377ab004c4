import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { Moment, WholeNumber } from './parameters.ts';

export const AgentLogQuery = z.strictObject({
  tail: WholeNumber(1, 5000).optional().meta({
    description: 'How many of the last lines to return; 200 if neither `tail` nor `since` is given',
  }),
  since: Moment.optional().meta({
    description:
      'Return only lines after this time: the `timestamp` of a line, or the `nextSince` of an answer',
  }),
});

export const AgentLog = z
  .object({
    items: z
      .array(z.object({ timestamp: z.string(), line: z.string() }))
      .meta({ description: 'Oldest first' }),
    nextSince: z.string().nullable().meta({
      description:
        'Send it back unchanged as `since` to get the later lines, without repeating one; null before the first line',
    }),
    complete: z
      .boolean()
      .meta({ description: 'Whether the agent has stopped, and no more lines follow this answer' }),
    source: z.enum(['program', 'none']).meta({
      description:
        'Who writes the lines: `none` for an external agent, whose lines stay where it runs',
    }),
  })
  .meta({
    id: 'AgentLog',
    examples: [
      {
        items: [{ timestamp: '2026-11-21T08:00:04.250117Z', line: 'ready' }],
        nextSince: '2026-11-21T08:00:04.250117Z',
        complete: false,
        source: 'program',
      },
    ],
  });
export type AgentLog = z.infer<typeof AgentLog>;

export const AgentTimeline = z
  .object({
    items: z
      .array(
        z.object({
          event: z.string(),
          at: z.string(),
          detail: z.string().nullable(),
        }),
      )
      .meta({ description: 'Only events that have happened. New kinds of events may be added.' }),
  })
  .meta({
    id: 'AgentTimeline',
    examples: [
      {
        items: [
          { event: 'requested', at: EXAMPLE.at, detail: 'echo-agent' },
          { event: 'admitted', at: '2026-11-21T08:00:00.041Z', detail: null },
          { event: 'scheduled', at: '2026-11-21T08:00:00.041Z', detail: null },
          { event: 'started', at: '2026-11-21T08:00:01.000Z', detail: null },
          { event: 'joined', at: '2026-11-21T08:00:01.706Z', detail: null },
          { event: 'first_words', at: EXAMPLE.later, detail: null },
          { event: 'stopped', at: '2026-11-21T08:09:12.300Z', detail: 'requested' },
        ],
      },
    ],
  });
export type AgentTimeline = z.infer<typeof AgentTimeline>;
