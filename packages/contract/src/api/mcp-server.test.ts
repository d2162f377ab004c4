import { expect, test } from 'vitest';
import { AgentDefinition } from './agent-tool.ts';
import { FilledMcpServer, McpServer, withServerDefaults } from './mcp-server.ts';

const CRM = { name: 'crm', url: 'https://crm.example/mcp', tools: [{ name: 'search' }] };

test('a server with its defaults written out is one that an agent takes', () => {
  const filled = withServerDefaults(McpServer.parse(CRM));
  expect(FilledMcpServer.parse(filled)).toEqual({ ...CRM, headers: {}, timeoutMs: 10_000 });
});

test('a definition of an earlier release has no servers', () => {
  expect(AgentDefinition.parse({ version: 1, tools: [] }).mcpServers).toEqual([]);
});

test.for([
  { ...CRM, url: 'https://crm.example/{{tenant}}' },
  { ...CRM, url: 'https://{{tenant}}.example/' },
  { ...CRM, url: 'file:///etc/passwd' },
])('%j is not filled in, or no address', (server) => {
  expect(FilledMcpServer.safeParse({ ...server, timeoutMs: 1000 }).success).toBe(false);
});
