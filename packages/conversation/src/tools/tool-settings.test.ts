import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { crmAt, serverVariables } from '../../testing/mcp-server.ts';
import { findRooms, TOOL_KEY, toolVariables } from '../../testing/tools.ts';
import { readToolSettings } from './tool-settings.ts';

const keyed = findRooms(80, {
  request: {
    url: 'https://rooms.example/',
    headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
  },
});
const variables = toolVariables(keyed);
const definition = JSON.parse(variables['AGENT_DEFINITION'] ?? '');
const withHosts = (...hosts: string[]) => ({
  AGENT_DEFINITION: JSON.stringify({ ...definition, hosts: { HOTEL_KEY: hosts } }),
});

test('without a definition there are no tools, and without tools no settings', () => {
  expect(readToolSettings({})).toBeUndefined();
  expect(readToolSettings({ AGENT_DEFINITION: '{"version":1,"tools":[]}' })).toBeUndefined();
});

test('secrets are filled in, and all that the agent knows are masked', () => {
  const others = { LLM_API_KEY: 'sk-1', MEDIA_TOKEN: 'token', HOME: '/home' };
  const settings = readToolSettings({ ...variables, ...others });
  expect(settings?.tools[0]?.request.headers).toEqual({ authorization: `Bearer ${TOOL_KEY}` });
  expect(settings?.secrets).toEqual([TOOL_KEY, 'sk-1', 'token']);
  expect(settings?.networks).toEqual(['127.0.0.0/8']);
});

test('a server gets its secret too, and only on its hosts', () => {
  const crm = crmAt(80, ['search'], { url: 'https://crm.example/mcp' });
  const ofServer = serverVariables(crm);
  const settings = readToolSettings(ofServer);
  expect(settings?.mcpServers[0]?.headers).toEqual({ authorization: `Bearer ${TOOL_KEY}` });
  expect(settings?.secrets).toEqual([TOOL_KEY]);
  const text = ofServer['AGENT_DEFINITION']?.replace('"crm.example"', '"other.example"') ?? '';
  expect(() => readToolSettings({ ...ofServer, AGENT_DEFINITION: text })).toThrow(
    /^CRM_KEY may not be sent to the host of the MCP server crm/,
  );
});

test.for(['rooms.example', 'rooms.example:443'])('a key goes to its host %s', (host) => {
  expect(readToolSettings({ ...variables, ...withHosts(host) })?.tools).toHaveLength(1);
});

test.for<[Record<string, string>, RegExp]>([
  [{ AGENT_DEFINITION: '{"key":"s3cret"' }, /^AGENT_DEFINITION is not valid\. Leave it unset/],
  [{ AGENT_DEFINITION: '{"version":2,"tools":[]}' }, /^AGENT_DEFINITION is not valid/],
  [{ AGENT_TOOL_NETWORKS: '10.0.0.0' }, /^AGENT_TOOL_NETWORKS is not valid/],
  [{ AGENT_TOOL_NETWORKS: '10.0.0.0/33' }, /^AGENT_TOOL_NETWORKS is not valid/],
  [{ HOTEL_KEY: '' }, /^HOTEL_KEY is not set: the tool find_rooms sends it$/],
  [{ HOTEL_KEY: 's3cret\r\nhost: x' }, /^HOTEL_KEY is not valid: a header has printable ASCII/],
  [withHosts(), /^HOTEL_KEY may not be sent to the host of the tool find_rooms/],
  [withHosts('other.example'), /^HOTEL_KEY may not be sent/],
  [withHosts('rooms.example:8443'), /^HOTEL_KEY may not be sent/],
  [withHosts('example'), /^HOTEL_KEY may not be sent/],
])('%j ends the start, without a value in the error', ([fault, message]) => {
  const read = () => readToolSettings({ ...variables, ...fault });
  expect(read).toThrow(StartError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/s3cret/);
});
