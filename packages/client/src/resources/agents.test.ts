import { expect, test } from 'vitest';
import { json, lost, problem, scriptedServer } from '../../testing/scripted-server.ts';
import { isAgentStopped } from './agents.ts';

const agent = { id: 'a', role: 'echo-agent', status: 'Starting', reason: null, detail: null };

test('untilRunning waits until the agent runs, also when an answer is lost', async () => {
  const running = { ...agent, status: 'Running' };
  await using server = await scriptedServer(json(agent), lost, json(agent), json(running));
  expect(await server.client().agents.untilRunning('a')).toEqual(running);
  expect(server.received).toHaveLength(4);
});

test('untilRunning throws why the agent stopped', async () => {
  const ended = {
    status: 'Stopped',
    reason: 'out_of_memory',
    detail: 'It needed more than 512 MiB.',
  };
  await using server = await scriptedServer(json(agent), json({ ...agent, ...ended }));
  const error: unknown = await server
    .client()
    .agents.untilRunning('a')
    .catch((reason: unknown) => reason);
  expect(isAgentStopped(error)).toBe(true);
  expect(error).toMatchObject({
    message: 'the agent echo-agent stopped: out_of_memory: It needed more than 512 MiB.',
    reason: 'out_of_memory',
    agent: ended,
  });
  expect(isAgentStopped(new Error('x'))).toBe(false);
});

test('untilRunning ends by its signal between two looks', async () => {
  const caller = new AbortController();
  await using server = await scriptedServer((response, received) => {
    json(agent)(response, received);
    setImmediate(() => caller.abort());
  });
  const { signal } = caller;
  const ending = server.client().agents.untilRunning('a', { signal });
  await expect(ending).rejects.toMatchObject({ name: 'AbortError' });
});

test('check returns what would prevent a start, and starts no agent', async () => {
  const problems = [{ code: 'agent_capacity', detail: 'An account may have at most 20 agents.' }];
  await using server = await scriptedServer(json({ ok: false, problems }));
  expect(await server.client().agents.check('s', { role: 'echo-agent' })).toEqual(problems);
  expect(server.received).toMatchObject([
    { method: 'POST', url: '/sessions/s/agents?dryRun=true', body: '{"role":"echo-agent"}' },
  ]);
});

test('409 agent_capacity is thrown at once: to try again would change nothing', async () => {
  await using server = await scriptedServer(problem(409, 'agent_capacity'));
  const start = server.client().agents.start('s', { role: 'echo-agent' });
  await expect(start).rejects.toMatchObject({ code: 'agent_capacity' });
  expect(server.received).toHaveLength(1);
});
