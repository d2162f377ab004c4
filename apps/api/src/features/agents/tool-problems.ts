import {
  type AgentPreflight,
  type AgentTemplateDefinition,
  hasHostOf,
  secretsOfHeaders,
} from '@session/contract';
import type { Hosts } from '@session/db';
import { hostAddress } from '@session/kit';
import { mayConnect } from '@session/kit/open-networks';
import type { Config } from '../../config.ts';

type Problems = AgentPreflight['problems'];

interface Sender {
  readonly title: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Environment {
  readonly variables: Readonly<Record<string, string>>;
  readonly hosts: Hosts;
}

export function problemsOfTools(
  { tools, mcpServers }: Pick<AgentTemplateDefinition, 'mcpServers' | 'tools'>,
  environment: Environment,
  { toolNetworks }: Pick<Config['agents'], 'toolNetworks'>,
): Problems {
  const senders = [
    ...tools.map(({ name, request }) => ({ ...request, title: `The tool ${name}` })),
    ...mcpServers.map(({ name, ...server }) => ({ ...server, title: `The MCP server ${name}` })),
  ];
  return senders.flatMap((sender) => [
    ...problemsOfSecrets(sender, environment),
    ...problemsOfAddress(sender, toolNetworks),
  ]);
}

function problemsOfSecrets(
  { title, url, headers }: Sender,
  { variables, hosts }: Environment,
): Problems {
  return secretsOfHeaders(headers).flatMap((name) => {
    if (!variables[name]) {
      const detail = `${title} sends ${name}, which the environment template does not have. Add it to the template.`;
      return [{ code: 'secret_missing', detail }];
    }
    if (hasHostOf(url, hosts[name])) return [];
    const { host } = new URL(url);
    const detail = `${title} sends ${name} to ${host}, which is not among the hosts of this variable. An ADMIN names its hosts in the environment template, together with its value.`;
    return [{ code: 'secret_host', detail }];
  });
}

function problemsOfAddress({ title, url }: Sender, networks: readonly string[]): Problems {
  const { protocol, hostname } = new URL(url);
  const isHttp = protocol === 'http:';
  // A host name passes here, because its addresses are checked at each connection.
  if (mayConnect(hostAddress(hostname), networks, isHttp ? 'http:' : 'https:')) return [];
  const why =
    isHttp && networks.length === 0
      ? 'does not use https://'
      : 'leads to an address that is not open to tools';
  const detail = `${title} ${why}. Give it another address.`;
  return [{ code: 'tool_address_refused', detail }];
}
