import * as z from 'zod';
import { DEFAULT_TIMEOUT_MS, isUnique, TimeoutMs, ToolHeaders, ToolUrl } from './tool-fields.ts';
import { argumentsIn, hasLiteralHost, isUrl } from './tool-placeholders.ts';

export const MAX_MCP_SERVERS = 4;
const MAX_TOOLS_OF_SERVER = 16;

/** The model calls a tool `<server>__<tool>`, so a server's name contains no `__`, and does not end with `_`. */
const Name = z
  .string()
  .regex(
    /^[a-z](?:[a-z0-9_]{0,30}[a-z0-9])?$/,
    'a name has 1 to 32 characters of a-z, 0-9 and _, begins with a letter and does not end with _',
  )
  .refine((name) => !name.includes('__'), { error: 'a name has no two _ in a row' });

const ToolName = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => !/\p{Cc}/u.test(name), { error: 'a name has no control characters' });

const Digest = z
  .string()
  .regex(
    /^sha256:[0-9a-f]{64}$/,
    'a digest is sha256: and 64 hexadecimal digits, as a dry run names it',
  );

const AllowedTools = z
  .array(
    z.strictObject({
      name: ToolName.describe('The name that the server gives the tool'),
      digest: Digest.optional().describe(
        'The digest of the tool, as a dry run shows it. Agents do not use a tool that has changed since',
      ),
    }),
  )
  .min(1)
  .max(MAX_TOOLS_OF_SERVER)
  .refine((tools) => isUnique(tools.map(({ name }) => name)), {
    error: 'each name may be used only once',
  });

const Url = ToolUrl.refine((url) => argumentsIn(url).length === 0, {
  error: 'leave {argument} out of the URL of a server',
});

export const McpServer = z
  .strictObject({
    name: Name.describe('The model calls a tool of the server `<name>__<tool>`'),
    url: Url.describe(
      'Where the server takes requests (Streamable HTTP). `{{variable}}` stands for a value of a variable of the agent template, percent-encoded',
    ),
    headers: ToolHeaders.optional().describe(
      'A header may contain `{{env.NAME}}`, if the host is among the `hosts` of that variable',
    ),
    timeoutMs: TimeoutMs.optional().describe(
      `The longest time of a call, in milliseconds: ${DEFAULT_TIMEOUT_MS} by default`,
    ),
    tools: AllowedTools.describe(
      'The tools that the model may call. It learns nothing of the others',
    ),
  })
  .meta({
    id: 'McpServer',
    examples: [
      {
        name: 'crm',
        url: 'https://crm.example/mcp',
        headers: { authorization: 'Bearer {{env.CRM_KEY}}' },
        tools: [{ name: 'search' }],
      },
    ],
  });
export type McpServer = z.infer<typeof McpServer>;

export const McpServers = z
  .array(McpServer)
  .max(MAX_MCP_SERVERS)
  .refine((servers) => isUnique(servers.map(({ name }) => name)), {
    error: 'each name may be used only once',
  });

/** A server as an agent gets it: with variables filled in and defaults written out. */
export const FilledMcpServer = z.object({
  name: Name,
  url: z
    .string()
    .refine(hasLiteralHost)
    .refine((url) => isUrl(url) && !/[{}]/.test(url)),
  headers: ToolHeaders.default({}),
  timeoutMs: TimeoutMs,
  tools: z.array(z.object({ name: ToolName, digest: Digest.optional() })).max(MAX_TOOLS_OF_SERVER),
});
export type FilledMcpServer = z.infer<typeof FilledMcpServer>;

export function withServerDefaults(server: McpServer): FilledMcpServer {
  const { headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS } = server;
  return { ...server, headers, timeoutMs };
}
