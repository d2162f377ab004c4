import * as z from 'zod';
import { AgentConnection } from './agent-connection.ts';
import { AgentTemplateValues } from './agent-template.ts';
import { EXAMPLE, examplesOf } from './example.ts';

/**
 * The role of agents that run elsewhere, as programs of their owners. They join the room with the connection data in
 * the answer to the start request.
 */
export const EXTERNAL_ROLE = 'external';

export const AgentConfig = z
  .strictObject({
    echoMode: z.enum(['text', 'audio', 'both']).optional().meta({
      description:
        'What the echo agent says back: texts (`text`, the default), speech once its speaker has paused (`audio`), or `both`',
    }),
    restart: z.enum(['on-failure', 'never']).optional().meta({
      description:
        'Whether the agent is started again, under the same id, when it crashes, or is lost, evicted or out of memory: `on-failure`, which is the default of every role but `echo-agent`, or `never`. It is started again at most three times within ten minutes',
    }),
  })
  .meta({ id: 'AgentConfig' });
export type AgentConfig = z.infer<typeof AgentConfig>;

const TemplateId = z.string().min(1).max(100);

export const NewAgent = z
  .strictObject({
    role: z.string().min(1).max(100).optional(),
    agentTemplateId: TemplateId.nullish().meta({
      description:
        'Who the agent is and what it can do. Its role and its plan are those of the template: send no `planId` with it, and no `role` other than `external`',
    }),
    agentTemplateVersion: z.int().min(1).max(2_147_483_647).optional().meta({
      description: 'The version of the agent template: the newest by default',
    }),
    variables: AgentTemplateValues.optional().meta({
      description:
        'Values of the variables of the agent template. Members of the project can read them',
    }),
    planId: TemplateId.nullish(),
    envTemplateId: TemplateId.nullish().meta({
      description:
        'Without it the agent gets the default environment template of the project, or its only one',
    }),
    config: AgentConfig.optional(),
  })
  .superRefine((body, context) => {
    for (const [field, message] of faultsOf(body)) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({
    id: 'NewAgent',
    examples: [{ role: 'echo-agent', config: { echoMode: 'text' } }],
  });
export type NewAgent = z.infer<typeof NewAgent>;

type Fault = readonly [field: string, message: string];

interface Start {
  readonly role?: string | undefined;
  readonly agentTemplateId?: string | null | undefined;
  readonly agentTemplateVersion?: number | undefined;
  readonly variables?: object | undefined;
  readonly planId?: string | null | undefined;
  readonly envTemplateId?: string | null | undefined;
  readonly config?: object | undefined;
}

function faultsOf(start: Start): readonly Fault[] {
  const { role, agentTemplateId, agentTemplateVersion, variables, planId } = start;
  const isExternal = role === EXTERNAL_ROLE;
  const missing = 'leave it out, or send agentTemplateId too';
  const faults: readonly (Fault | false)[] = agentTemplateId
    ? [
        role !== undefined &&
          !isExternal && [
            'role',
            'leave it out, or send external: the agent template has the role',
          ],
        Boolean(planId) && ['planId', 'leave it out: the agent template has the plan'],
      ]
    : [
        role === undefined && ['role', 'send a role or an agentTemplateId'],
        agentTemplateVersion !== undefined && ['agentTemplateVersion', missing],
        variables !== undefined && ['variables', missing],
      ];
  const ofExternal = isExternal ? faultsOfExternal(start) : [];
  return [...ofExternal, ...faults].filter((fault) => fault !== false);
}

function faultsOfExternal({ envTemplateId, config }: Start): readonly (Fault | false)[] {
  return [
    Boolean(envTemplateId) && [
      'envTemplateId',
      'leave it out: an external agent brings its own keys',
    ],
    Boolean(config) && ['config', 'leave it out: the service does not run an external agent'],
  ];
}

export const Agent = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    role: z.string(),
    status: z.enum(['Starting', 'Running', 'Stopped']),
    reason: z.string().nullable().meta({
      description:
        'Why the agent stopped, or is about to stop; docs/agents.md lists the reasons under *When something fails*. More may be added',
    }),
    detail: z.string().nullable(),
    /** 128 plus the signal's number, if a signal ended the program. */
    exitCode: z.number().nullable(),
    planId: z.string().nullable(),
    envTemplateId: z.string().nullable(),
    agentTemplateId: z.string().nullable(),
    agentTemplateVersion: z.number().nullable().meta({
      description: 'The version with which the agent runs, after a restart too',
    }),
    variables: z.record(z.string(), z.string()).meta({
      description: 'The values of the variables of the agent template',
    }),
    config: AgentConfig,
    createdBy: z.string(),
    createdAt: z.string(),
    restarts: z.number().int().nonnegative().meta({
      description:
        'How many times the agent was started again after its program ended unasked. Meanwhile its status is `Starting` again; its timeline names each end',
    }),
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
        agentTemplateId: null,
        agentTemplateVersion: null,
        variables: {},
        config: { echoMode: 'text', restart: 'never' },
        createdBy: EXAMPLE.user,
        createdAt: EXAMPLE.at,
        restarts: 0,
        startedAt: null,
        runningAt: null,
        stoppedAt: null,
      },
    ],
  });
export type Agent = z.infer<typeof Agent>;

export const StartedAgent = Agent.extend({
  connect: AgentConnection.nullable().meta({
    description:
      'The variables with which an external agent joins its room. They are shown once: null in the answer to a repeat with the same `Idempotency-Key`, and for all other roles',
  }),
}).meta({
  id: 'StartedAgent',
  examples: examplesOf(Agent).map((agent) => ({ ...Agent.parse(agent), connect: null })),
});
export type StartedAgent = z.infer<typeof StartedAgent>;

export const AgentType = z
  .object({
    role: z.string(),
    title: z.string(),
    description: z.string(),
    capabilities: z.array(z.enum(['text', 'hearing', 'voice'])).meta({
      description:
        'What an agent of this role takes in and gives back: texts, what people say, and speech. The echo agent hears and speaks in the modes `audio` and `both`',
    }),
    aliasOf: z
      .string()
      .nullable()
      .meta({ description: 'The role of which this is another name: offer that one to people' }),
    requiredVariables: z.array(z.string()),
    optionalVariables: z.array(z.string()),
    variables: z
      .array(
        z.object({
          name: z.string(),
          required: z.boolean(),
          secret: z.boolean().meta({ description: 'Whether logs mask its value' }),
          description: z.string(),
          default: z
            .string()
            .nullable()
            .meta({ description: 'What counts when the variable is not set, in words' }),
        }),
      )
      .meta({
        description: 'The required and the optional variables, with all that is known of each',
      }),
    available: z.boolean(),
  })
  .meta({
    id: 'AgentType',
    examples: [
      {
        role: 'light-agent',
        title: 'Light agent',
        description: 'A text conversation with a language model.',
        capabilities: ['text'],
        aliasOf: null,
        requiredVariables: ['LLM_API_KEY'],
        optionalVariables: ['LLM_IDLE_MS'],
        variables: [
          {
            name: 'LLM_API_KEY',
            required: true,
            secret: true,
            description: 'The key of the language model.',
            default: null,
          },
          {
            name: 'LLM_IDLE_MS',
            required: false,
            secret: false,
            description: 'The longest silence between two tokens.',
            default: '8000',
          },
        ],
        available: true,
      },
    ],
  });
export type AgentType = z.infer<typeof AgentType>;
