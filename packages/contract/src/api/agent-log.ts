import * as z from 'zod';
import { Moment, WholeNumber } from './parameters.ts';

/**
 * Selects lines of an agent's log. `since` keeps the lines after that time, compared in milliseconds unless it has more
 * digits; `tail` keeps the last of these lines. Without both the answer has the last 200 lines; with `since` alone it has
 * all later lines, but at most the 5,000 oldest of them.
 */
export const AgentLogQuery = z.strictObject({
  tail: WholeNumber(1, 5000)
    .optional()
    .meta({
      description:
        'How many of the last lines to return; 200 if neither `tail` nor `since` is given',
    }),
  since: Moment.optional().meta({
    description:
      'Return only lines after this time: the `timestamp` of a line, or the `nextSince` of an answer',
  }),
});

/** Lines that an agent wrote to stdout and stderr. */
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
      .meta({ description: 'Whether the agent has stopped, so that no more lines will follow' }),
  })
  .meta({
    id: 'AgentLog',
    examples: [
      {
        items: [{ timestamp: '2026-11-21T08:00:04.250117Z', line: 'ready' }],
        nextSince: '2026-11-21T08:00:04.250117Z',
        complete: false,
      },
    ],
  });
export type AgentLog = z.infer<typeof AgentLog>;
