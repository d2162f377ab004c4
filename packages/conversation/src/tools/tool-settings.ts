import {
  AgentDefinition,
  type FilledMcpServer,
  type FilledTool,
  fillSecrets,
  hasHostOf,
  secretsOfHeaders,
} from '@session/contract';
import { isNetwork, StartError } from '@session/kit';
import { parseJson } from '../parse-json.ts';
import { proxyVariables } from '../settings/proxy-variables.ts';
import { KEY_WORDS } from '../settings/settings.ts';
import { TEMPLATE_VARIABLES } from '../settings/variables.ts';

export interface HttpTool extends Omit<FilledTool, 'request'> {
  readonly request: Omit<FilledTool['request'], 'headers'> & {
    readonly headers: Readonly<Record<string, string>>;
  };
}

export type McpServerSettings = FilledMcpServer;

/** No result may pass `secrets` to the model. The operator opened `networks`. */
export interface ToolSettings {
  readonly tools: readonly HttpTool[];
  readonly mcpServers: readonly McpServerSettings[];
  readonly networks: readonly string[];
  readonly secrets: readonly string[];
  readonly proxies: Readonly<Record<string, string>>;
}

type Variables = Readonly<Record<string, string | undefined>>;

const PLATFORM_SECRETS = ['MEDIA_TOKEN', 'MEDIA_API_KEY', 'MEDIA_API_SECRET'];
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Reads the tools of an agent from its environment; undefined if it has none. Throws a StartError with one line for each fault,
 * which quotes no value.
 */
export function readToolSettings(variables: Variables): ToolSettings | undefined {
  const { AGENT_TOOL_NETWORKS: networkList = '' } = variables;
  const definition = definitionIn(variables);
  if (!definition) return undefined;
  const networks = networkList.split(',').filter((network) => network !== '');
  if (!networks.every(isNetwork)) throw invalid('AGENT_TOOL_NETWORKS');
  const { tools, mcpServers } = definition;
  const senders = sendersOf(definition);
  if (senders.length === 0) return undefined;
  const faults = senders.flatMap((sender) => faultsOf(sender, definition, variables));
  if (faults.length > 0) throw new StartError([...new Set(faults)].join('\n'));
  return {
    tools: tools.map((tool) => ({ ...tool, request: withSecrets(tool.request, variables) })),
    mcpServers: mcpServers.map((server) => withSecrets(server, variables)),
    networks,
    secrets: secretsOf(definition, variables),
    proxies: proxyVariables(variables),
  };
}

export function definitionIn({ AGENT_DEFINITION: text }: Variables): AgentDefinition | undefined {
  if (!text) return undefined;
  const { data: definition } = AgentDefinition.safeParse(parseJson(text));
  if (!definition) throw invalid('AGENT_DEFINITION');
  return definition;
}

function invalid(name: string): StartError {
  return new StartError(`${name} is not valid. Leave it unset: the platform sets it.`);
}

interface Sender {
  readonly title: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function sendersOf({ tools, mcpServers }: AgentDefinition): Sender[] {
  return [
    ...tools.map(({ name, request }) => ({ ...request, title: `the tool ${name}` })),
    ...mcpServers.map(({ name, ...server }) => ({ ...server, title: `the MCP server ${name}` })),
  ];
}

function faultsOf(
  { title, url, headers }: Sender,
  { hosts }: AgentDefinition,
  variables: Variables,
): string[] {
  return secretsOfHeaders(headers).flatMap((secret) => {
    const value = variables[secret];
    if (!value) return [`${secret} is not set: ${title} sends it`];
    if (!HEADER_VALUE.test(value)) {
      return [`${secret} is not valid: a header has printable ASCII characters only`];
    }
    return hasHostOf(url, hosts[secret])
      ? []
      : [
          `${secret} may not be sent to the host of ${title}: add this host to the hosts of ${secret}`,
        ];
  });
}

function withSecrets<Sending extends { readonly headers: Readonly<Record<string, string>> }>(
  sending: Sending,
  variables: Variables,
): Sending {
  const headers = Object.entries(sending.headers).map(([name, value]) => [
    name.toLowerCase(),
    fillSecrets(value, (secret) => variables[secret] ?? ''),
  ]);
  return { ...sending, headers: Object.fromEntries(headers) };
}

function secretsOf(definition: AgentDefinition, variables: Variables): string[] {
  const names = [
    ...sendersOf(definition).flatMap(({ headers }) => secretsOfHeaders(headers)),
    ...Object.keys(definition.hosts),
    ...TEMPLATE_VARIABLES.filter(({ secret }) => secret).map(({ name }) => name),
    ...PLATFORM_SECRETS,
  ];
  const values = names.map((name) => (Object.hasOwn(variables, name) ? variables[name] : ''));
  return [...new Set(values)].flatMap((value) =>
    value && !KEY_WORDS.includes(value) ? [value] : [],
  );
}
