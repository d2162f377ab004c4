import * as z from 'zod';
import { EXAMPLE } from './example.ts';

/** The settings that an agent gets at its start. */
export const AgentConfig = z
  .strictObject({
    /** What the echo agent echoes. It has no effect yet: the agent answers text with text. */
    echoMode: z.enum(['text', 'audio', 'both']).optional(),
  })
  .meta({ id: 'AgentConfig' });
export type AgentConfig = z.infer<typeof AgentConfig>;

/** The request to start an agent. `role` is a role that `GET /agent-types` lists, or an alias of one. */
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

/** An agent as the API returns it. */
export const Agent = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    role: z.string(),
    status: z.enum(['Starting', 'Running', 'Stopped']),
    /** Why the agent has stopped, or is about to stop. */
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    /** The exit code of its program; if a signal ended the program, 128 plus the signal's number. */
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

/** The events of an agent's life, in the order in which they happened. */
export const AgentTimeline = z
  .object({
    items: z
      .array(
        z.object({
          /** `requested`, `admitted`, `scheduled`, `started`, `joined`, `first_words`, `stopped`; more may be added. */
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

/**
 * Whether an agent would start, and everything that would prevent it. `code` is an error code, or the reason that the agent
 * would stop with.
 */
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
              'The role light-agent needs LLM_API_KEY: name an environment template. The project has neither a default template nor exactly one.',
          },
        ],
      },
    ],
  });
export type AgentPreflight = z.infer<typeof AgentPreflight>;
