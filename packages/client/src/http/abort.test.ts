import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failureOf } from '../../testing/failure-of.ts';
import {
  json,
  problem,
  type ScriptedAnswer,
  scriptedServer,
  silent,
} from '../../testing/scripted-server.ts';
import type { AdminClient } from '../admin.ts';

type Call = (client: AdminClient, signal: AbortSignal) => Promise<unknown>;

const calls: [string, Call][] = [
  ['a read', (client, signal) => client.auth.me({ signal })],
  ['a creation', (client, signal) => client.projects.create({ name: 'x' }, { signal })],
  ['a list', (client, signal) => client.projects.list({ signal }).toArray({ limit: 9 })],
  ['an export', (client, signal) => Array.fromAsync(client.messages.export('s', { signal }))],
  ['a log', (client, signal) => Array.fromAsync(client.agents.logs('a', { follow: true, signal }))],
  ['a wait for an agent', (client, signal) => client.agents.untilRunning('a', { signal })],
];

const stages: [string, ScriptedAnswer][] = [
  ['waiting for an answer', silent],
  ['waiting for the rest of an answer', (response) => void response.writeHead(200).write('{')],
  ['waiting for the next try', problem(503, 'unavailable', { 'retry-after': '50' })],
];

for (const [stage, answer] of stages) {
  test.each(calls)(
    `${stage}: %s ends by its signal, with its reason, and leaves no listener`,
    async (_, call) => {
      const caller = new AbortController();
      const asked = Promise.withResolvers<void>();
      await using server = await scriptedServer(async (response, received) => {
        await answer(response, received);
        asked.resolve();
      });
      const ended = failureOf(call(server.client(), caller.signal));
      await asked.promise;
      caller.abort('enough');
      expect(await ended).toBe('enough');
      expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    },
  );
}

test.each(calls)('waiting for a token: %s ends by its signal', async (_, call) => {
  await using server = await scriptedServer(json({}));
  const caller = new AbortController();
  const asked = Promise.withResolvers<void>();
  const token = async () => {
    asked.resolve();
    return await new Promise<string>(() => {});
  };
  const ended = failureOf(call(server.client({ token }), caller.signal));
  await asked.promise;
  caller.abort('enough');
  expect(await ended).toBe('enough');
  expect(server.received).toEqual([]);
});

test.each(calls)('%s with a signal that is aborted already sends nothing', async (_, call) => {
  await using server = await scriptedServer(json({}));
  await expect(call(server.client(), AbortSignal.abort('enough'))).rejects.toBe('enough');
  expect(server.received).toEqual([]);
});

test('a signal without a reason of its own is an AbortError', async () => {
  await using server = await scriptedServer(silent);
  await expect(server.client().auth.me({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('a call that asks the server to wait may take so much longer', async () => {
  const latest = { items: [], nextSince: 't', hasMore: false };
  await using server = await scriptedServer(async (response, received) => {
    await sleep(100);
    json(latest)(response, received);
  });
  const client = server.client({ timeoutMs: 1, maxRetries: 0 });
  expect(await client.messages.latest('s', { since: 't', wait: 25 })).toEqual(latest);
  expect(server.received[0]?.url).toBe('/sessions/s/messages/latest?since=t&wait=25');
});

test('a login and a sign-up may wait for their turn to hash a password', async () => {
  const login = { user: {}, token: 't' };
  await using server = await scriptedServer(async (response, received) => {
    await sleep(100);
    json(login)(response, received);
  });
  const { auth } = server.client({ timeoutMs: 1, maxRetries: 0 });
  const account = { email: 'ada@example.org', password: 'correct horse' };
  const answers = [auth.logIn(account), auth.signUp({ ...account, name: 'Ada' })];
  expect(await Promise.all(answers)).toEqual([login, login]);
});

test('a program ends by itself after its calls, however the calls ended', async () => {
  const refuse = problem(503, 'unavailable', { 'retry-after': '50' });
  await using server = await scriptedServer((response, received) => {
    const { url } = received;
    if (url.startsWith('/projects/silent')) return;
    if (url.startsWith('/projects/away')) response.destroy();
    else if (url.startsWith('/projects/later')) refuse(response, received);
    else if (url.includes('/logs')) response.writeHead(200).write('retry: 1\n\n: quiet\n\n');
    else json({ id: 'x', items: [], nextCursor: null, status: 'Running' })(response, received);
  });
  const program = path.join(import.meta.dirname, '../../testing/calling-program.ts');
  const child = spawn(process.execPath, ['--conditions=@source', program, server.url], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
});
