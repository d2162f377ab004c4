import { once } from 'node:events';
import { launchEnv } from '@session/agent-kit/testing';
import { calls, fails, says, startScriptedModel } from '@session/conversation/testing';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { openRoom, startLightAgent, variablesOf } from '../testing/light-agent.ts';

const KEY = 'hk-s3cret-1234';

function toolVariables(port: number, method: string): Record<string, string> {
  const tool = {
    name: 'book',
    description: 'Books a room.',
    parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
    request: {
      method,
      url: `http://127.0.0.1:${port}/book`,
      headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
    },
    timeoutMs: 10_000,
    onInterrupt: method === 'GET' ? 'cancel' : 'finish',
    record: 'full',
  };
  const hosts = { HOTEL_KEY: [`127.0.0.1:${port}`] };
  return {
    AGENT_DEFINITION: JSON.stringify({ version: 1, tools: [tool], hosts }),
    AGENT_TOOL_NETWORKS: '127.0.0.0/8',
    HOTEL_KEY: KEY,
  };
}

const isCall = (packet: unknown) => Object(packet).type === 'tool_call';

test('an agent in its room calls a tool: the room hears of it before the answer, and nobody of the key', async () => {
  await using hotel = await startScriptedModel(fails(200, { booked: true, echo: KEY }));
  await using model = await startScriptedModel(calls(['book', { day: '1' }]), says('Booked.'));
  const variables = { ...variablesOf(model), ...toolVariables(hotel.port, 'POST') };
  const { ann, agent } = await openRoom(variables);
  await ann.room.say('Book a room');
  await ann.untilAnswered(1);
  expect(hotel.requests[0]).toMatchObject({ method: 'POST', body: { day: '1' } });
  expect(hotel.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(ann.answers()).toEqual(['Booked.']);
  expect(ann.packets().slice(1)).toEqual([
    expect.objectContaining({ type: 'tool_call', state: 'started', message: 'book: started' }),
    expect.objectContaining({ state: 'done', result: '{"booked":true,"echo":"••••"}' }),
  ]);
  const seen = JSON.stringify([model.requests, ann.packets(), agent.output()]);
  expect(seen).not.toContain('s3cret');
});

test('a text interrupts a call of a tool, and is answered', async () => {
  await using hotel = await startScriptedModel(() => {});
  await using model = await startScriptedModel(calls(['book', { day: '1' }]), says('Yes?'));
  const variables = { ...variablesOf(model), ...toolVariables(hotel.port, 'GET') };
  const { ann } = await openRoom(variables);
  await ann.room.say('Look for a room');
  await expect.poll(() => hotel.requests.length).toBe(1);
  await ann.room.say('Wait');
  await ann.untilAnswered(1);
  expect(hotel.requests[0]?.gone.aborted).toBe(true);
  expect(ann.packets().at(-1)).toMatchObject({ type: 'tool_call', state: 'cancelled' });
});

test('an agent that was killed during a call tells the next one, which does not repeat it', async () => {
  await using hotel = await startScriptedModel(() => {});
  await using model = await startScriptedModel(
    calls(['book', { day: '1' }]),
    calls(['book', { day: '1' }]),
    says('It may be booked already.'),
  );
  const variables = { ...variablesOf(model), ...toolVariables(hotel.port, 'POST') };
  const { ann, agent, room } = await openRoom(variables);
  const id = await ann.room.say('Book a room');
  await expect.poll(() => hotel.requests.length).toBe(1);
  await expect.poll(() => ann.packets().some(isCall)).toBe(true);
  agent.child.kill('SIGKILL');
  await once(agent.child, 'exit');
  const started = ann.packets().find(isCall);
  const { at, tool, state, arguments: args } = Object(started);
  const { identity } = ann.room;
  const line = { id, role: 'user', identity, content: 'Book a room', at: new Date().toISOString() };
  const CONVERSATION = JSON.stringify({
    history: [line],
    state: { plans: [] },
    calls: [{ at, tool, state, arguments: args }],
  });
  const launched = await launchEnv(testMedia(), room, 'light-agent');
  startLightAgent(launched, { ...variables, CONVERSATION });
  await ann.untilAnswered(1);
  expect(ann.answers()).toEqual(['It may be booked already.']);
  expect(hotel.requests).toHaveLength(1);
});

test('a broken definition ends the program as a bad configuration, without a value in its log', async () => {
  const launched = await launchEnv(testMedia(), 'room', 'light-agent');
  const tools = toolVariables(9, 'GET');
  const agent = startLightAgent(launched, {
    ...tools,
    LLM_API_KEY: 'rehearsal',
    AGENT_DEFINITION: (tools['AGENT_DEFINITION'] ?? '').replace('"version":1', '"version":9'),
  });
  agent.ready.catch(() => {});
  const [code] = await once(agent.child, 'exit');
  expect(code).toBe(78);
  expect(agent.output()).toContain('AGENT_DEFINITION is not valid');
  expect(agent.output()).not.toContain('127.0.0.1');
});
