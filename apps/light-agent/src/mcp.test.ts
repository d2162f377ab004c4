import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { crmAt, serverVariables, startMcpServer } from '@session/conversation/testing/mcp';
import { expect, test } from 'vitest';
import { openRoom, variablesOf } from '../testing/light-agent.ts';

test('an agent in its room calls the tool of an MCP server, and nobody sees the key', async () => {
  await using crm = await startMcpServer((server) => {
    server.registerTool('search', { annotations: { readOnlyHint: true } }, () => ({
      content: [{ type: 'text', text: 'Ada lives in Bern.' }],
    }));
  });
  await using model = await startScriptedModel(calls(['crm__search', {}]), says('In Bern.'));
  const servers = serverVariables(crmAt(crm.port, ['search']));
  const { ann, agent } = await openRoom({ ...variablesOf(model), ...servers });
  await ann.room.say('Where does Ada live?');
  await ann.untilAnswered(1);
  expect(ann.answers()).toEqual(['In Bern.']);
  expect(ann.packets().slice(1)).toEqual([
    expect.objectContaining({
      type: 'tool_call',
      source: 'mcp',
      tool: 'crm__search',
      state: 'done',
      result: 'Ada lives in Bern.',
    }),
  ]);
  const seen = JSON.stringify([model.requests, ann.packets(), agent.output()]);
  expect(seen).not.toContain('s3cret');
});

test('an agent starts without a server that is away, and says so', async () => {
  await using model = await startScriptedModel(says('Hello.'));
  const { ann, agent } = await openRoom({
    ...variablesOf(model),
    ...serverVariables(crmAt(9, ['search'])),
  });
  await ann.room.say('Hello?');
  await ann.untilAnswered(1);
  expect(ann.packets()).toContainEqual(
    expect.objectContaining({ state: 'degraded', reason: 'tools_unavailable' }),
  );
  expect(agent.output()).toContain(
    'listing tools of MCP server crm failed, retrying: no connection (ECONNREFUSED)',
  );
});
