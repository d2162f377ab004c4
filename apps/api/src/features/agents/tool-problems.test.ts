import { expect, test } from 'vitest';
import { problemsOfTools } from './tool-problems.ts';

function toolOf(url: string, headers = {}) {
  const parameters = { type: 'object', properties: {} } as const;
  const request = { method: 'GET', url, headers } as const;
  return { name: 'find_rooms', description: 'Rooms.', parameters, request };
}

function codesOf(
  url: string,
  headers: Record<string, string> = {},
  { hosts = {}, networks = [] }: { hosts?: Record<string, string[]>; networks?: string[] } = {},
) {
  const environment = { variables: { LLM_API_KEY: 'k', HOTEL_KEY: 'h', EMPTY: '' }, hosts };
  const problems = problemsOfTools({ tools: [toolOf(url, headers)], mcpServers: [] }, environment, {
    toolNetworks: networks,
  });
  return problems.map(({ code }) => code);
}

const url = 'https://api.hotel.example/rooms?day={day}';
const headers = { authorization: 'Bearer {{env.HOTEL_KEY}}' };

test.each<[string, string[], ...Parameters<typeof codesOf>]>([
  ['no secret', [], url],
  ['a secret that the template lacks', ['secret_missing'], url, { x: '{{env.NONE}}' }],
  ['a secret that is empty', ['secret_missing'], url, { x: '{{env.EMPTY}}' }],
  ['a secret without hosts', ['secret_host'], url, headers],
  ['another host', ['secret_host'], url, headers, { hosts: { HOTEL_KEY: ['hotel.example'] } }],
  [
    'another port',
    ['secret_host'],
    url,
    headers,
    { hosts: { HOTEL_KEY: ['api.hotel.example:8443'] } },
  ],
  ['its host', [], url, headers, { hosts: { HOTEL_KEY: ['a.example', 'api.hotel.example'] } }],
  ['its host and port', [], url, headers, { hosts: { HOTEL_KEY: ['api.hotel.example:443'] } }],
  ['this machine', ['tool_address_refused'], 'https://127.0.0.1/a'],
  ['this machine, of IPv6', ['tool_address_refused'], 'https://[::1]:8443/a'],
  ['the metadata of a cloud', ['tool_address_refused'], 'https://169.254.169.254/a'],
  ['an address in other words', ['tool_address_refused'], 'https://0x7f.1/a'],
  [
    'this machine in an opened network',
    [],
    'http://127.0.0.1:80/a',
    {},
    { networks: ['127.0.0.0/8'] },
  ],
  ['no https', ['tool_address_refused'], 'http://api.hotel.example/a'],
  ['a public address', [], 'https://8.8.8.8/a'],
  [
    'a public address by http, with an opened network',
    ['tool_address_refused'],
    'http://8.8.8.8/a',
    {},
    { networks: ['127.0.0.0/8'] },
  ],
  [
    'the metadata of a cloud, with all networks opened',
    ['tool_address_refused'],
    'https://169.254.169.254/a',
    {},
    { networks: ['0.0.0.0/0'] },
  ],
])('%s: %j', (_, codes, ...call) => {
  expect(codesOf(...call)).toEqual(codes);
});

test('an MCP server sends secrets, and has an address, as a tool does', () => {
  const server = { name: 'crm', url, headers, tools: [{ name: 'search' }] };
  const closed = { name: 'inner', url: 'https://127.0.0.1/mcp', tools: [{ name: 'search' }] };
  const environment = { variables: { HOTEL_KEY: 'h' }, hosts: {} };
  const definition = { tools: [], mcpServers: [server, closed] };
  const problems = problemsOfTools(definition, environment, { toolNetworks: [] });
  expect(problems.map(({ code }) => code)).toEqual(['secret_host', 'tool_address_refused']);
  expect(problems[0]?.detail).toMatch(/^The MCP server crm sends HOTEL_KEY/);
});
