import { fails, startScriptedModel } from '@session/conversation/testing';
import { crmAt, serverVariables, startMcpServer } from '@session/conversation/testing/mcp';
import { expect, test } from 'vitest';
import { reachMcpServers } from './mcp-reach.ts';

const OPENED = { toolNetworks: ['127.0.0.0/8'], proxies: {} };

const startCrm = async () =>
  await startMcpServer((server) => {
    server.registerTool('search', { description: 'Finds a customer.' }, () => ({ content: [] }));
  });

test('a server shows its tools, and which of them the agent may call', async () => {
  await using crm = await startCrm();
  const variables = serverVariables(crmAt(crm.port, ['search']));
  const { reach, problems } = await reachMcpServers(variables, OPENED);
  expect(problems).toEqual([]);
  expect(reach?.mcpServers).toEqual([
    {
      name: 'crm',
      ok: true,
      durationMs: expect.any(Number),
      tools: [
        {
          name: 'search',
          description: 'Finds a customer.',
          digest: expect.stringMatching(/^sha256:/),
          selected: true,
        },
      ],
    },
  ]);
});

test('what is missing, changed or away is a problem each, without a secret', async () => {
  await using crm = await startCrm();
  const digest = `sha256:${'0'.repeat(64)}`;
  const tools = [{ name: 'search', digest }, { name: 'none' }];
  const away = crmAt(9, ['x'], { name: 'away' });
  const variables = serverVariables(crmAt(crm.port, [], { tools }), away);
  const { reach, problems } = await reachMcpServers(variables, OPENED);
  expect(problems.map(({ code }) => code)).toEqual([
    'tools_changed',
    'mcp_tool_missing',
    'mcp_unreachable',
  ]);
  expect(reach?.mcpServers?.map(({ ok }) => ok)).toEqual([true, false]);
  expect(reach?.mcpServers?.[0]?.tools[0]?.selected).toBe(false);
  expect(JSON.stringify([reach, problems])).not.toContain('s3cret');
});

test('an address that is not open is not asked', async () => {
  await using crm = await startCrm();
  const variables = serverVariables(crmAt(crm.port, ['search']));
  const { problems } = await reachMcpServers(variables, { toolNetworks: [], proxies: {} });
  expect(problems.map(({ code }) => code)).toEqual(['mcp_unreachable']);
  expect(crm.methods).toEqual([]);
});

test('a server that does not speak the protocol is a problem in one sentence', async () => {
  await using web = await startScriptedModel(fails(200, '<p>Hello'));
  const { problems } = await reachMcpServers(serverVariables(crmAt(web.port, ['search'])), OPENED);
  expect(problems).toEqual([
    {
      code: 'mcp_unreachable',
      detail:
        'The MCP server crm did not list its tools to the API: the answer is not valid. Check its URL and its headers in the agent template.',
    },
  ]);
});
