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
type Tool = AgentTemplateDefinition['tools'][number];

interface Environment {
  readonly variables: Readonly<Record<string, string>>;
  readonly hosts: Hosts;
}

/** Returns why calls of an agent's tools would be refused, as far as that can be known without a call. */
export function problemsOfTools(
  tools: readonly Tool[],
  environment: Environment,
  { toolNetworks }: Pick<Config['agents'], 'toolNetworks'>,
): Problems {
  return tools.flatMap((tool) => [
    ...problemsOfSecrets(tool, environment),
    ...problemsOfAddress(tool, toolNetworks),
  ]);
}

function problemsOfSecrets(
  { name: tool, request: { url, headers } }: Tool,
  { variables, hosts }: Environment,
): Problems {
  return secretsOfHeaders(headers).flatMap((name) => {
    if (!variables[name]) {
      const detail = `The tool ${tool} sends ${name}, which the environment template does not have. Add it to the template.`;
      return [{ code: 'secret_missing', detail }];
    }
    if (hasHostOf(url, hosts[name])) return [];
    const { host } = new URL(url);
    const detail = `The tool ${tool} sends ${name} to ${host}, which is not among the hosts of this variable. An ADMIN names its hosts in the environment template, together with its value.`;
    return [{ code: 'secret_host', detail }];
  });
}

function problemsOfAddress({ name: tool, request }: Tool, networks: readonly string[]): Problems {
  const { protocol, hostname } = new URL(request.url);
  const isHttp = protocol === 'http:';
  // The addresses of a name are judged at each connection.
  if (mayConnect(hostAddress(hostname), networks, isHttp ? 'http:' : 'https:')) return [];
  const why =
    isHttp && networks.length === 0
      ? 'does not use https://'
      : 'leads to an address that is not open to tools';
  const detail = `The tool ${tool} ${why}. Give it another address.`;
  return [{ code: 'tool_address_refused', detail }];
}
