import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort, interopPython } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { newPerson } from '../testing/person.ts';
import { startRealApi } from '../testing/real-api.ts';
import { createClient } from './index.ts';

const program = path.resolve(import.meta.dirname, '../../../examples/fastapi/server.py');

const Access = z.object({ apiUrl: z.string(), sessionId: z.string(), accessToken: z.string() });

async function startSample(variables: NodeJS.ProcessEnv): Promise<string> {
  const port = await freePort('127.0.0.1');
  const env = { PATH: process.env['PATH'], PORT: String(port), ...variables };
  const child: ChildProcess = spawn(interopPython(), [program], { env, stdio: 'inherit' });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return `http://127.0.0.1:${port}`;
}

test('with Python: the FastAPI sample gives each visitor a session of their own, and the same one again', {
  timeout: 120_000,
  skip: interopPython() === '',
}, async () => {
  await using api = await startRealApi();
  const { client } = await newPerson(api, 'Ada');
  const { id } = await client.projects.create({ name: 'Product' });
  const { secret } = await client.apiKeys.create(id, { name: 'Backend' });
  const url = await startSample({ API_URL: api.url, API_KEY: secret });
  const ask = async (cookie = '') =>
    await fetch(`${url}/token`, { method: 'POST', ...(cookie && { headers: { cookie } }) });
  await expect
    .poll(() => ask().then(({ status }) => status, String), { timeout: 30_000 })
    .toBe(200);
  const first = await ask();
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const visitor = Access.parse(await first.json());
  expect(Access.parse(await (await ask(cookie)).json()).sessionId).toBe(visitor.sessionId);
  expect(Access.parse(await (await ask()).json()).sessionId).not.toBe(visitor.sessionId);
  const guest = createClient({ baseUrl: visitor.apiUrl, token: visitor.accessToken });
  expect((await guest.auth.me()).name).toBe('Visitor');
  const said = await guest.messages.say(visitor.sessionId, { content: 'Good morning' });
  const { items } = await guest.messages.list(visitor.sessionId);
  expect(items.map((message) => message.id)).toContain(said.id);
  expect(await (await fetch(url)).text()).toContain('Talk to us');
});
