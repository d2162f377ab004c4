import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { Moment, WholeNumber } from './parameters.ts';

/** What an agent can be told at its start. */
export const AgentConfig = z
  .strictObject({
    /** What the echo agent is to echo. Without effect yet: text is answered, with text. */
    echoMode: z.enum(['text', 'audio', 'both']).optional(),
  })
  .meta({ id: 'AgentConfig' });
export type AgentConfig = z.infer<typeof AgentConfig>;

/** What it takes to start an agent. `role` is one of `GET /agent-types`, or an alias. */
export const NewAgent = z
  .strictObject({
    role: z.string().min(1).max(100),
    planId: z.string().min(1).max(100).nullish(),
    envTemplateId: z.string().min(1).max(100).nullish(),
    config: AgentConfig.optional(),
  })

  .meta({
    id: 'NewAgent',
    examples: [{ role: 'echo-agent', config: { echoMode: 'text' } }],
  });
export type NewAgent = z.infer<typeof NewAgent>;

/** An agent as the API gives it. */
export const Agent = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    role: z.string(),
    status: z.enum(['Starting', 'Running', 'Stopped']),
    /** Why it has stopped, or is about to. */
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    /** That of its program; 128 and the signal's number when a signal ended it. */
    exitCode: z.number().nullable(),
    planId: z.string().nullable(),
    envTemplateId: z.string().nullable(),
    config: AgentConfig,
    createdBy: z.string(),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    runningAt: z.string().nullable(),
    stoppedAt: z.string().nullable(),
  })
  .meta({
    id: 'Agent',
    examples: [
      {
        id: EXAMPLE.agent,
        sessionId: EXAMPLE.session,
        role: 'echo-agent',
        status: 'Starting',
        reason: null,
        detail: null,
        exitCode: null,
        planId: null,
        envTemplateId: null,
        config: { echoMode: 'text' },
        createdBy: EXAMPLE.user,
        createdAt: EXAMPLE.at,
        startedAt: null,
        runningAt: null,
        stoppedAt: null,
      },
    ],
  });
export type Agent = z.infer<typeof Agent>;

/** A kind of agent. The variables are those that its template must and may hold. */
export const AgentType = z
  .object({
    role: z.string(),
    title: z.string(),
    description: z.string(),
    requiredVariables: z.array(z.string()),
    optionalVariables: z.array(z.string()),
    /** Whether its program is installed here: when it is not, an agent of this type stops at once. */
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

/**
 * Which lines of an agent's log are wanted: those after `since`, to the millisecond unless it has more digits; of them, or
 * of all, the last `tail`. Without either the last 200; with `since` alone all after it, the oldest 5,000 at most.
 */
export const AgentLogQuery = z.strictObject({
  tail: WholeNumber(1, 5000)
    .optional()
    .meta({ description: 'That many of the last lines; 200 where there is no `since` either' }),
  since: Moment.optional().meta({
    description: 'Only lines after this time: a line’s `timestamp`, or an answer’s `nextSince`',
  }),
});

/** What an agent wrote. */
export const AgentLog = z
  .object({
    items: z
      .array(z.object({ timestamp: z.string(), line: z.string() }))
      .meta({ description: 'The oldest first' }),
    nextSince: z.string().nullable().meta({
      description:
        'Sent back as `since`, as it is, it gives what has come since, and no line twice; null before the first line',
    }),
    complete: z
      .boolean()
      .meta({ description: 'Whether the agent has stopped, so that no more will come' }),
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

/** What happened to an agent, in the order in which it did. */
export const AgentTimeline = z
  .object({
    items: z
      .array(
        z.object({
          /** `requested`, `admitted`, `scheduled`, `started`, `joined`, `first_words`, `stopped`; there may be more. */
          event: z.string(),
          at: z.string(),
          detail: z.string().nullable(),
        }),
      )
      .meta({ description: 'Only what has happened; the list of events may grow' }),
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

/** Whether an agent would start, and all that would stop it. `code` is that of an error, or the reason of an agent's end. */
export const AgentPreflight = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.object({ code: z.string(), detail: z.string() })),
  })
  .meta({
    id: 'AgentPreflight',
    examples: [
      {
        ok: false,
        problems: [
          {
            code: 'env_template_required',
            detail:
              'The role light-agent needs LLM_API_KEY: name a template of variables. The project has neither a default nor exactly one.',
          },
        ],
      },
    ],
  });
export type AgentPreflight = z.infer<typeof AgentPreflight>;
