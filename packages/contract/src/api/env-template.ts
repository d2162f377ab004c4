import * as z from 'zod';
import { byteLength } from './byte-length.ts';
import { EXAMPLE } from './example.ts';
import { isReservedVariable, RESERVED_NAMES, RESERVED_PATTERN } from './reserved-variables.ts';
import { SECRET } from './tool-placeholders.ts';

const MAX_VARIABLES = 100;
const MAX_VALUE_BYTES = 32_768;
/** A Kubernetes Secret and a program's environment hold about 1 MiB, including the variables that the platform adds. */
const MAX_TEMPLATE_BYTES = 524_288;

const NAME_RULE =
  'a name has 1 to 64 characters of A-Z, 0-9 and _, and does not begin with a digit';
const RESERVED_RULE = `this name is reserved, as are ${RESERVED_NAMES}`;

const Value = z
  .string()
  .refine((value) => byteLength(value) <= MAX_VALUE_BYTES, {
    error: `a value has at most ${MAX_VALUE_BYTES} bytes`,
  })
  .meta({ maxLength: MAX_VALUE_BYTES, writeOnly: true });

const Variables = z.record(
  z.string().regex(new RegExp(`^(?!${RESERVED_PATTERN.slice(1)})${SECRET}$`)),
  Value,
  {
    error: ({ code, input }) => {
      if (code !== 'invalid_key') return undefined;
      const isReserved = typeof input === 'string' && isReservedVariable(input);
      return isReserved ? RESERVED_RULE : NAME_RULE;
    },
  },
);

const byVariable = <Shape extends z.ZodType>(shape: Shape) =>
  z.record(z.string().regex(new RegExp(`^${SECRET}$`)), shape, {
    error: ({ code }) => (code === 'invalid_key' ? NAME_RULE : undefined),
  });

/** A variable with a reserved name can only be deleted. It may have been stored before the name was reserved. */
const ChangedVariables = byVariable(Value.nullable())
  .superRefine((variables, context) => {
    for (const [name, value] of Object.entries(variables)) {
      if (value === null || !isReservedVariable(name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: RESERVED_RULE });
    }
  })
  .meta({ patternProperties: { [RESERVED_PATTERN]: { type: 'null' } } });

/** Requires `LLM_API_KEY`, because every agent that needs a key needs this one. */
export const EnvVariables = Variables.refine(({ LLM_API_KEY = '' }) => LLM_API_KEY !== '', {
  error: 'a value is needed',
  path: ['LLM_API_KEY'],
})
  .refine((variables) => Object.keys(variables).length <= MAX_VARIABLES, {
    error: `a template has at most ${MAX_VARIABLES} variables`,
  })
  .refine(
    (variables) => byteLength(Object.entries(variables).flat().join('')) <= MAX_TEMPLATE_BYTES,
    {
      error: `all variables together have at most ${MAX_TEMPLATE_BYTES} bytes`,
    },
  )
  .meta({
    maxProperties: MAX_VARIABLES,
    required: ['LLM_API_KEY'],
    properties: {
      LLM_API_KEY: { type: 'string', minLength: 1, maxLength: MAX_VALUE_BYTES, writeOnly: true },
    },
  });
export type EnvVariables = z.infer<typeof EnvVariables>;

const MAX_HOSTS = 20;

const Host = z
  .string()
  .max(260)
  .regex(
    /^(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?$/,
    'a host in lower case is needed, perhaps with a port: api.example.com:8443',
  );

const HostList = z.array(Host).min(1).max(MAX_HOSTS);

const Hosts = byVariable(HostList).meta({
  description:
    'To which hosts tools of agents may send a variable, by its name. Without hosts, no tool sends it anywhere',
});

const ChangedHosts = byVariable(HostList.nullable()).meta({
  description:
    'The hosts of variables, by name. New hosts are accepted only together with the value of the variable, so that nobody redirects a key that they cannot read. Hosts can always be removed; `null` removes all',
});

const Name = z.string().trim().min(1).max(100);

export const NewEnvTemplate = z
  .strictObject({
    name: Name,
    variables: EnvVariables,
    hosts: Hosts.optional(),
    isDefault: z.boolean().default(false).meta({
      description:
        'Whether an agent gets this template if its start names none. In a project with one template the agent gets that one in any case',
    }),
  })
  .superRefine(({ variables, hosts = {} }, context) => {
    for (const name of Object.keys(hosts)) {
      if (Object.hasOwn(variables, name)) continue;
      const message = 'send the value of this variable too, or leave out its hosts';
      context.addIssue({ code: 'custom', path: ['hosts', name], message });
    }
  })
  .meta({
    id: 'NewEnvTemplate',
    examples: [{ name: 'Production', variables: { LLM_API_KEY: 'sk-…' }, isDefault: true }],
  });
export type NewEnvTemplate = z.infer<typeof NewEnvTemplate>;

export const EnvTemplateChange = z
  .strictObject({
    name: Name.optional(),
    variables: ChangedVariables.optional(),
    hosts: ChangedHosts.optional(),
    isDefault: z.boolean().optional(),
  })
  .meta({
    id: 'EnvTemplateChange',
    examples: [{ variables: { LLM_MODEL: 'small', TTS_API_KEY: null } }],
  });
export type EnvTemplateChange = z.infer<typeof EnvTemplateChange>;

export const EnvTemplate = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    keys: z.array(z.string()),
    hosts: z.record(z.string(), z.array(z.string())).meta({
      description: 'To which hosts tools of agents may send a variable, by its name',
    }),
    isDefault: z.boolean(),
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
        keys: ['HOTEL_KEY', 'LLM_API_KEY'],
        hosts: { HOTEL_KEY: ['api.hotel.example'] },
        isDefault: true,
        version: 1,
        createdAt: EXAMPLE.at,
        updatedAt: EXAMPLE.at,
      },
    ],
  });
export type EnvTemplate = z.infer<typeof EnvTemplate>;
