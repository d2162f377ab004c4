import * as z from 'zod';
import { EXAMPLE } from './example.ts';

const MOST_VARIABLES = 100;
const MOST_VALUE_BYTES = 32_768;
/** A Secret of Kubernetes and the environment of a program hold about 1 MiB, with all that comes from us. */
const MOST_BYTES = 524_288;

// What the platform sets, and what would change the machine under the program instead of the program.
const RESERVED = ['MEDIA_', 'AGENT_', 'LD_', 'KUBERNETES_', 'NODE_CHANNEL_'];
const RESERVED_NAMES = [
  'SESSION_ID',
  'PROJECT_ID',
  'PLAN',
  'CONVERSATION',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'HOME',
];
const KEY = new RegExp(
  `^(?!${RESERVED.join('|')}|(?:${RESERVED_NAMES.join('|')})$)[A-Z_][A-Z0-9_]{0,63}$`,
);
const KEY_RULE = `a name has 1 to 64 of A-Z, 0-9 and _, does not begin with a digit, and is none of the reserved: ${[
  ...RESERVED.map((prefix) => `${prefix}*`),
  ...RESERVED_NAMES,
].join(', ')}`;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

const Value = z
  .string()
  .refine((value) => bytesOf(value) <= MOST_VALUE_BYTES, {
    error: `a value has at most ${MOST_VALUE_BYTES} bytes`,
  })
  .meta({ maxLength: MOST_VALUE_BYTES, writeOnly: true });

function variablesOf<V extends z.ZodType<string | null>>(value: V) {
  return z.record(z.string().regex(KEY), value, {
    error: ({ code }) => (code === 'invalid_key' ? KEY_RULE : undefined),
  });
}

/** All variables of a template. Every agent that needs keys needs `LLM_API_KEY`, so none goes without it. */
export const EnvVariables = variablesOf(Value)
  .refine(({ LLM_API_KEY = '' }) => LLM_API_KEY !== '', {
    error: 'a value is needed',
    path: ['LLM_API_KEY'],
  })
  .refine((variables) => Object.keys(variables).length <= MOST_VARIABLES, {
    error: `a template has at most ${MOST_VARIABLES} variables`,
  })
  .refine((variables) => bytesOf(Object.entries(variables).flat().join('')) <= MOST_BYTES, {
    error: `all variables together have at most ${MOST_BYTES} bytes`,
  })
  .meta({
    maxProperties: MOST_VARIABLES,
    required: ['LLM_API_KEY'],
    properties: {
      LLM_API_KEY: { type: 'string', minLength: 1, maxLength: MOST_VALUE_BYTES, writeOnly: true },
    },
  });
export type EnvVariables = z.infer<typeof EnvVariables>;

const Name = z.string().trim().min(1).max(100);

/** What it takes to make a template of variables. */
export const NewEnvTemplate = z
  .strictObject({ name: Name, variables: EnvVariables, isDefault: z.boolean().default(false) })
  .meta({
    id: 'NewEnvTemplate',
    examples: [{ name: 'Production', variables: { LLM_API_KEY: 'sk-…' }, isDefault: true }],
  });
export type NewEnvTemplate = z.infer<typeof NewEnvTemplate>;

/** What is to change in a template: a variable that is not named stays, one that is null goes. */
export const EnvTemplateChange = z
  .strictObject({
    name: Name.optional(),
    variables: variablesOf(Value.nullable()).optional(),
    isDefault: z.boolean().optional(),
  })
  .meta({
    id: 'EnvTemplateChange',
    examples: [{ variables: { LLM_MODEL: 'small', TTS_API_KEY: null } }],
  });
export type EnvTemplateChange = z.infer<typeof EnvTemplateChange>;

/** A template of variables as the API gives it: with their names, and never with their values. */
export const EnvTemplate = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    keys: z.array(z.string()),
    isDefault: z.boolean(),
    /** One more at each change. */
    version: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'EnvTemplate',
    examples: [
      {
        id: EXAMPLE.envTemplate,
        projectId: EXAMPLE.project,
        name: 'Production',
        keys: ['LLM_API_KEY'],
        isDefault: true,
        version: 1,
        createdAt: EXAMPLE.at,
        updatedAt: EXAMPLE.at,
      },
    ],
  });
export type EnvTemplate = z.infer<typeof EnvTemplate>;
