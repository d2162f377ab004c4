import { type AgentPreflight, type AgentTemplateDefinition, secretsIn } from '@session/contract';
import type { Hosts } from '@session/db';
import { hostAddress } from '@session/kit';
import { isOpen } from '@session/kit/open-networks';
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
  { name: tool, request: { url, headers = {} } }: Tool,
  { variables, hosts }: Environment,
): Problems {
  const { host, hostname, port, protocol } = new URL(url);
  const withPort = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  const names = new Set(Object.values(headers).flatMap((value) => secretsIn(value) ?? []));
  return [...names].flatMap((name) => {
    if (!variables[name]) {
      const detail = `The tool ${tool} sends ${name}, which the environment template does not have. Add it to the template.`;
      return [{ code: 'secret_missing', detail }];
    }
    if (hosts[name]?.some((known) => [host, withPort].includes(known))) return [];
    const detail = `The tool ${tool} sends ${name} to ${host}, which is not among the hosts of this variable. An ADMIN names its hosts in the environment template, together with its value.`;
    return [{ code: 'secret_host', detail }];
  });
}

function problemsOfAddress({ name: tool, request }: Tool, networks: readonly string[]): Problems {
  const { protocol, hostname } = new URL(request.url);
  const refused = (why: string) => [
    { code: 'tool_address_refused', detail: `The tool ${tool} ${why}. Give it another address.` },
  ];
  if (!isOpen(hostAddress(hostname), networks)) {
    return refused('leads to an address that is not public');
  }
  // Otherwise the address of the connection decides.
  const isPlain = protocol === 'http:' && networks.length === 0;
  return isPlain ? refused('does not use https://') : [];
}
