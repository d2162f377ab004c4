import * as z from 'zod';
import { byteLength } from './byte-length.ts';
import { FilledMcpServer, MAX_MCP_SERVERS } from './mcp-server.ts';
import { DEFAULT_TIMEOUT_MS, isUnique, TimeoutMs, ToolHeaders, ToolUrl } from './tool-fields.ts';
import { ToolParameters } from './tool-parameters.ts';
import { argumentsIn, hasLiteralHost, hasOnlyVariables, isUrl } from './tool-placeholders.ts';

const MAX_TOOLS = 16;
const MAX_TOOLS_BYTES = 16_384;

const PLAN_TOOLS = new Set(['set_deliverable', 'complete_step', 'reopen_step']);

export const END_TOOL = 'end_conversation';

export const HANDOVER_TOOL = 'hand_over';

export const PERSON = 'person';

const DEFAULT_WAIT_SECONDS = 120;

const Name = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,63}$/,
    'a name has 1 to 64 characters of a-z, 0-9 and _, and begins with a letter',
  )
  .refine((name) => !name.includes('__'), { error: 'a name has no two _ in a row' })
  .refine((name) => !PLAN_TOOLS.has(name), {
    error: 'choose another name: this one is a tool of plans',
  });

const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

const PLACEHOLDERS = 'braces are allowed only around the name of a variable: {{name}}';
const Template = (maxLength: number) =>
  z.string().trim().min(1).max(maxLength).refine(hasOnlyVariables, { error: PLACEHOLDERS });

const Request = z.strictObject({ method: Method, url: ToolUrl, headers: ToolHeaders.optional() });

const OnInterrupt = z.enum(['cancel', 'finish']);
const Record = z.enum(['full', 'outcome']);

/** A tool of an agent, as its author writes it: an HTTP request that the model can make. */
export const Tool = z
  .strictObject({
    name: Name,
    description: Template(1024).describe('Tells the model what the tool does, and when to use it'),
    parameters: ToolParameters,
    request: Request.describe(
      'In the URL, `{argument}` is an argument of the call and `{{variable}}` a variable of the conversation, both percent-encoded. Other arguments go into the query (GET, DELETE) or a JSON body. A header may contain `{{env.NAME}}`, if the host is among the `hosts` of that variable',
    ),
    timeoutMs: TimeoutMs.optional().describe(`${DEFAULT_TIMEOUT_MS} by default`),
    say: Template(300)
      .optional()
      .describe('What the agent says before the call, if it has said nothing yet'),
    onInterrupt: OnInterrupt.optional().describe(
      'What happens to a call when a person speaks: `cancel` (the default of GET) ends it; `finish` (the default of other methods) lets it complete, and the next answer uses its result',
    ),
    record: Record.optional().describe(
      'What the history keeps of a call: `full` (the default), or `outcome` without arguments and result',
    ),
  })
  .superRefine(checkArguments)
  .meta({
    id: 'Tool',
    examples: [
      {
        name: 'find_rooms',
        description: 'Finds the free rooms of a day.',
        parameters: {
          type: 'object',
          properties: { day: { type: 'string', description: 'As YYYY-MM-DD', maxLength: 10 } },
          required: ['day'],
        },
        request: {
          method: 'GET',
          url: 'https://api.hotel.example/rooms?day={day}',
          headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
        },
        say: 'I look that up.',
      },
    ],
  });
export type Tool = z.infer<typeof Tool>;

export const Tools = z
  .array(Tool)
  .max(MAX_TOOLS)
  .refine((tools) => isUnique(tools.map(({ name }) => name)), {
    error: 'each name may be used only once',
  })
  .refine((tools) => byteLength(JSON.stringify(tools)) <= MAX_TOOLS_BYTES, {
    error: `all tools together have at most ${MAX_TOOLS_BYTES} bytes as JSON`,
  });
export type Tools = z.infer<typeof Tools>;

/**
 * A tool as an agent gets it: with variables filled in and defaults written out. Its texts may contain braces, which
 * come from values of variables.
 */
export const FilledTool = z
  .object({
    name: Name,
    description: z.string(),
    parameters: ToolParameters,
    request: z.object({
      method: Method,
      url: z
        .string()
        .refine(hasLiteralHost)
        .refine((url) => isUrl(url) && !url.includes('{{')),
      headers: ToolHeaders.default({}),
    }),
    timeoutMs: TimeoutMs,
    say: z.string().optional(),
    onInterrupt: OnInterrupt,
    record: Record,
  })
  .superRefine(checkArguments);
export type FilledTool = z.infer<typeof FilledTool>;

export const Answers = z.enum(['first', 'named']);

/**
 * The content of an agent's variable `AGENT_DEFINITION`. `hosts`: for each secret variable, the hosts to which its
 * value may be sent.
 */
export const AgentDefinition = z.object({
  version: z.literal(1),
  tools: z
    .array(FilledTool)
    .max(MAX_TOOLS)
    .refine((tools) => isUnique(tools.map(({ name }) => name))),
  mcpServers: z.array(FilledMcpServer).max(MAX_MCP_SERVERS).default([]),
  hosts: z.record(z.string(), z.array(z.string())).default({}),
  endConversation: z.boolean().default(false),
  answers: Answers.default('first'),
  name: z.string().optional(),
  handover: z
    .object({
      persons: z
        .object({
          say: z.string().optional(),
          waitSeconds: z.number().default(DEFAULT_WAIT_SECONDS),
        })
        .optional(),
      agents: z
        .array(
          z.object({
            agentTemplateId: z.string(),
            name: z.string(),
            description: z.string().optional(),
          }),
        )
        .default([]),
    })
    .optional(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

export function withToolDefaults(tool: Tool): FilledTool {
  const { request, timeoutMs = DEFAULT_TIMEOUT_MS, onInterrupt, record = 'full' } = tool;
  const { headers = {} } = request;
  return {
    ...tool,
    request: { ...request, headers },
    timeoutMs,
    onInterrupt: onInterrupt ?? (request.method === 'GET' ? 'cancel' : 'finish'),
    record,
  };
}

interface CheckedTool {
  readonly parameters: ToolParameters;
  readonly request: { readonly url: string };
}

/**
 * Checks that each argument in the URL is required and a single value. Without the argument, the path would name
 * another resource.
 */
function checkArguments(
  { parameters, request: { url } }: CheckedTool,
  context: z.RefinementCtx,
): void {
  for (const name of argumentsIn(url)) {
    const type = Object.hasOwn(parameters.properties, name)
      ? parameters.properties[name]?.type
      : undefined;
    const isSingleValue = type !== undefined && type !== 'object' && type !== 'array';
    if (isSingleValue && parameters.required?.includes(name)) continue;
    context.addIssue({
      code: 'custom',
      path: ['request', 'url'],
      message: `${name} must be a required parameter, and neither an object nor an array`,
    });
  }
}
