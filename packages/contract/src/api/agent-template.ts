import * as z from 'zod';
import { NewHandover, StoredHandover } from './agent-handover.ts';
import { Answers, Tool, Tools } from './agent-tool.ts';
import { EXAMPLE } from './example.ts';
import { McpServer, McpServers } from './mcp-server.ts';
import { NewPlanTemplate, PlanStep } from './plan-template.ts';
import { VARIABLE } from './tool-placeholders.ts';

const MAX_VARIABLES = 50;
const DEFAULT_VALUE_LENGTH = 500;
const MAX_VALUE_LENGTH = 2000;
const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

const VARIABLE_NAME = new RegExp(`^${VARIABLE}$`);
const VARIABLE_RULE =
  'a name has 1 to 32 characters of A-Z, a-z, 0-9 and _, and begins with a small letter';

const Text = (maxLength: number) => z.string().trim().min(1).max(maxLength);

/** A value is inserted into prompts and URLs, so it is one line. */
const Value = z
  .string()
  .max(MAX_VALUE_LENGTH)
  .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), {
    error: 'a value is one line without control characters',
  });

export const AgentTemplateValues = z
  .record(z.string().regex(VARIABLE_NAME, VARIABLE_RULE), Value, {
    error: ({ code }) => (code === 'invalid_key' ? VARIABLE_RULE : undefined),
  })
  .refine((values) => Object.keys(values).length <= MAX_VARIABLES, {
    error: `a template has at most ${MAX_VARIABLES} variables`,
  })
  .meta({ maxProperties: MAX_VARIABLES });
export type AgentTemplateValues = z.infer<typeof AgentTemplateValues>;

const Variable = z
  .strictObject({
    name: z.string().regex(VARIABLE_NAME, VARIABLE_RULE),
    default: Value.optional().meta({ description: 'Without it the value is empty' }),
    required: z.boolean().optional().meta({ description: 'Whether each start must give a value' }),
    maxLength: z
      .int()
      .min(1)
      .max(MAX_VALUE_LENGTH)
      .optional()
      .meta({
        description: `The maximum length of a value in characters: ${DEFAULT_VALUE_LENGTH} by default`,
      }),
  })
  .refine((variable) => (variable.default?.length ?? 0) <= longestValue(variable), {
    error: 'the default is longer than maxLength (500 if it is not set)',
    path: ['default'],
  })
  .refine(({ required, default: value }) => !(required && value !== undefined), {
    error: 'leave the default out: a required variable has none',
    path: ['default'],
  });

const Variables = z
  .array(Variable)
  .max(MAX_VARIABLES)
  .refine((variables) => new Set(variables.map(({ name }) => name)).size === variables.length, {
    error: 'each name may be used only once',
  });

/** Returns how many characters a value of the variable may have. */
export function longestValue({
  maxLength = DEFAULT_VALUE_LENGTH,
}: {
  maxLength?: number | undefined;
}) {
  return maxLength;
}

const model = {
  name: Text(200).optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(16).max(100_000).optional(),
  contextTokens: z.int().min(1024).max(10_000_000).optional(),
  firstTokenMs: z.int().min(100).max(600_000).optional(),
};

const limits = {
  nudgeAfterMs: z.int().min(1000).max(DAY_MS).optional(),
  leaveAfterMinutes: z.number().min(0.01).max(DAY_MINUTES).optional(),
  maxTalkMinutes: z.number().min(0.01).max(DAY_MINUTES).optional(),
  budgetTokens: z.int().min(1).max(1_000_000_000).optional(),
};

const endConversation = {
  closeSession: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the session is closed when the agent has left' }),
};

const identity = { name: Text(200), role: z.enum(['light-agent', 'core-agent']) };

const DEFINITION = {
  instructions: Text(32_768).nullish().meta({ description: 'Who the agent is, and how it talks' }),
  greeting: Text(2000)
    .nullish()
    .meta({ description: 'The first words of the agent; `off` waits for the user' }),
  language: Text(64).nullish().meta({ description: 'A language tag such as `en` or `de-CH`' }),
  timeZone: Text(64).nullish().meta({ description: 'A time zone such as `Europe/Berlin`' }),
  model: z.strictObject(model).nullish().meta({
    description:
      'Which model answers, and how. Its address and its key are in the environment template',
  }),
  limits: z.strictObject(limits).nullish(),
  failureMessage: Text(500)
    .nullish()
    .meta({ description: 'What the agent says when it has no answer' }),
  variables: Variables.nullish().meta({
    description:
      'Values that a start of an agent fills in where a text has `{{name}}`: instructions, greeting, failure message, plan, tools and the URLs of MCP servers',
  }),
  plan: NewPlanTemplate.pick({ name: true, steps: true }).nullish(),
  tools: Tools.nullish(),
  mcpServers: McpServers.nullish().meta({
    description: 'Servers of the Model Context Protocol, whose tools the agent uses too',
  }),
  endConversation: z.strictObject(endConversation).nullish().meta({
    description:
      'Lets the agent end the conversation: it says goodbye, leaves, and is `Stopped` with the reason `conversation_ended`',
  }),
  answers: Answers.nullish().meta({
    description:
      'What the agent answers: `first` (the default) every text, if it was started first among such agents of the room, and texts that begin with the name of its template; `named` only texts that address it by the name of its template',
  }),
  handover: NewHandover.nullish().meta({
    description:
      'Lets the agent hand the conversation over: to a person, who comes with a token of the mode `operator`, or to another agent. The history learns of it, and of a person who is asked for webhooks too',
  }),
};

export const NewAgentTemplate = z.strictObject({ ...identity, ...DEFINITION }).meta({
  id: 'NewAgentTemplate',
  examples: [
    {
      name: 'Front desk',
      role: 'light-agent',
      instructions: 'You take bookings for {{hotel}}. The guest is {{guest}}.',
      greeting: 'Welcome to {{hotel}}.',
      variables: [
        { name: 'hotel', default: 'our hotel' },
        { name: 'guest', required: true },
      ],
    },
  ],
});
export type NewAgentTemplate = z.infer<typeof NewAgentTemplate>;

const Version = z.int().min(1).max(2_147_483_647);

export const AgentTemplateChange = z
  .strictObject({
    version: Version.optional().meta({
      description: 'Changes the template only if it still has this version',
    }),
    restore: Version.optional().meta({
      description: 'Brings back the fields of this version, as a new version',
    }),
    name: identity.name.optional(),
    role: identity.role.optional(),
    ...DEFINITION,
  })
  .refine(
    ({ restore, version: _version, ...fields }) =>
      restore === undefined || Object.keys(fields).length === 0,
    { error: 'send restore without other fields', path: ['restore'] },
  )
  .meta({
    id: 'AgentTemplateChange',
    examples: [{ version: 1, greeting: 'Good day, {{guest}}.' }],
  });
export type AgentTemplateChange = z.infer<typeof AgentTemplateChange>;

const definition = {
  instructions: z.string().nullable(),
  greeting: z.string().nullable(),
  language: z.string().nullable(),
  timeZone: z.string().nullable(),
  model: z.object(model).nullable(),
  limits: z.object(limits).nullable(),
  failureMessage: z.string().nullable(),
  variables: z.array(z.object(Variable.shape)),
  plan: z.object({ name: z.string(), steps: z.array(PlanStep) }).nullable(),
  tools: z.array(Tool),
  mcpServers: z.array(McpServer),
  endConversation: z.object(endConversation).nullable(),
  answers: Answers.nullable(),
  handover: StoredHandover.nullable(),
};

export const AgentTemplateDefinition = z.object({
  ...definition,
  // A version that an earlier release stored has none of these.
  mcpServers: definition.mcpServers.default([]),
  endConversation: definition.endConversation.default(null),
  answers: definition.answers.default(null),
  handover: definition.handover.default(null),
});
export type AgentTemplateDefinition = z.infer<typeof AgentTemplateDefinition>;

const versioned = { version: z.number(), name: z.string(), role: z.string() };
const created = { createdBy: z.string(), createdAt: z.string() };
const ids = { id: z.string(), projectId: z.string() };
const updated = { updatedBy: z.string(), updatedAt: z.string() };

const exampleVersion = { version: 1, name: 'Front desk', role: 'light-agent' };
const exampleCreated = { createdBy: EXAMPLE.user, createdAt: EXAMPLE.at };
const exampleIds = { id: EXAMPLE.agentTemplate, projectId: EXAMPLE.project };
const exampleUpdated = { updatedBy: EXAMPLE.user, updatedAt: EXAMPLE.at };
const exampleDefinition = {
  instructions: 'You take bookings for {{hotel}}. The guest is {{guest}}.',
  greeting: 'Welcome to {{hotel}}.',
  language: null,
  timeZone: null,
  model: { name: 'gpt-4.1-mini', temperature: 0.3 },
  limits: null,
  failureMessage: null,
  variables: [
    { name: 'hotel', default: 'our hotel' },
    { name: 'guest', required: true },
  ],
  plan: null,
  tools: [],
  mcpServers: [],
  endConversation: null,
  answers: null,
  handover: null,
};

export const AgentTemplate = z
  .object({ ...ids, ...versioned, ...definition, ...created, ...updated })
  .meta({
    id: 'AgentTemplate',
    examples: [
      {
        ...exampleIds,
        ...exampleVersion,
        ...exampleDefinition,
        ...exampleCreated,
        ...exampleUpdated,
      },
    ],
  });
export type AgentTemplate = z.infer<typeof AgentTemplate>;

export const ListedAgentTemplate = z
  .object({
    ...ids,
    ...versioned,
    toolNames: z.array(z.string()),
    mcpServerNames: z.array(z.string()),
    ...created,
    ...updated,
  })
  .meta({
    id: 'ListedAgentTemplate',
    examples: [
      {
        ...exampleIds,
        ...exampleVersion,
        toolNames: [],
        mcpServerNames: ['crm'],
        ...exampleCreated,
        ...exampleUpdated,
      },
    ],
  });
export type ListedAgentTemplate = z.infer<typeof ListedAgentTemplate>;

export const AgentTemplateVersion = z.object({ ...versioned, ...definition, ...created }).meta({
  id: 'AgentTemplateVersion',
  examples: [{ ...exampleVersion, ...exampleDefinition, ...exampleCreated }],
});
export type AgentTemplateVersion = z.infer<typeof AgentTemplateVersion>;

export const ListedAgentTemplateVersion = z.object({ ...versioned, ...created }).meta({
  id: 'ListedAgentTemplateVersion',
  examples: [{ ...exampleVersion, ...exampleCreated }],
});
export type ListedAgentTemplateVersion = z.infer<typeof ListedAgentTemplateVersion>;
