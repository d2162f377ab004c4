import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, interopPython } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { newPerson } from '../testing/person.ts';
import { startRealApi } from '../testing/real-api.ts';
import { createClient } from './index.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const program = path.join(root, 'examples/fastapi/server.py');

const NextAccess = z.object({ accessToken: z.string() });
const Access = NextAccess.extend({ sessionId: z.string() });
const SampleAccess = Access.extend({ apiUrl: z.string() });

/**
 * Starts a Python server with these arguments, followed by a free port. Resolves when the server answers. Throws if it
 * ends.
 */
async function startServer(
  args: readonly string[],
  variables: NodeJS.ProcessEnv,
  cwd = root,
): Promise<string> {
  const port = await freePort('127.0.0.1');
  const env = { PATH: process.env['PATH'], PORT: String(port), ...variables };
  const options = { env, cwd, stdio: 'inherit' } as const;
  const child: ChildProcess = spawn(interopPython(), [...args, String(port)], options);
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    expect(hasEnded()).toBe(false);
    await sleep(50);
  }
  return url;
}

test('with Python: the FastAPI sample gives each visitor a session of their own, and the same one again', {
  timeout: 120_000,
  skip: interopPython() === '',
}, async () => {
  await using api = await startRealApi();
  const { client } = await newPerson(api, 'Ada');
  const { id } = await client.projects.create({ name: 'Product' });
  const { secret } = await client.apiKeys.create(id, { name: 'Backend' });
  const url = await startServer([program], { API_URL: api.url, API_KEY: secret });
  const ask = async (cookie = '') =>
    await fetch(`${url}/token`, { method: 'POST', ...(cookie && { headers: { cookie } }) });
  const first = await ask();
  expect(first.status).toBe(200);
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const visitor = SampleAccess.parse(await first.json());
  expect(Access.parse(await (await ask(cookie)).json()).sessionId).toBe(visitor.sessionId);
  expect(Access.parse(await (await ask()).json()).sessionId).not.toBe(visitor.sessionId);
  const guest = createClient({ baseUrl: visitor.apiUrl, token: visitor.accessToken });
  expect((await guest.auth.me()).name).toBe('Visitor');
  const said = await guest.messages.say(visitor.sessionId, { content: 'Good morning' });
  const { items } = await guest.messages.list(visitor.sessionId);
  expect(items.map((message) => message.id)).toContain(said.id);
  const renew = async (headers: Record<string, string>) =>
    (await fetch(`${url}/token`, { method: 'PUT', headers })).status;
  expect([await renew({}), await renew({ cookie })]).toEqual([404, 200]);
  await client.sessions.close(visitor.sessionId);
  expect(await renew({ cookie })).toBe(404);
  expect(await (await fetch(url)).text()).toContain('Talk to us');
});

test('with Python: the lines for FastAPI in docs/client.md give a user one session, and a token for it', {
  timeout: 120_000,
  skip: interopPython() === '',
}, async () => {
  await using api = await startRealApi();
  const { client } = await newPerson(api, 'Ada');
  const { id } = await client.projects.create({ name: 'Product' });
  const { secret } = await client.apiKeys.create(id, { name: 'Backend' });
  const folder = await mkdtemp(path.join(tmpdir(), 'fastapi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const page = await readFile(path.join(root, 'docs/client.md'), 'utf8');
  const code = /^```python title="my_token.py"\n([\s\S]*?)^```$/m.exec(page)?.[1];
  await writeFile(path.join(folder, 'my_token.py'), code ?? '');
  const args = ['-m', 'uvicorn', 'my_token:app', '--log-level', 'warning', '--port'];
  const variables = { API_URL: api.url, API_KEY: secret, PROJECT_ID: id };
  const url = await startServer(args, variables, folder);
  const ask = async (method: string) => await fetch(`${url}/my-token`, { method });
  const begin = async () => Access.parse(await (await ask('POST')).json());
  expect((await ask('PUT')).status).toBe(404);
  const { sessionId } = await begin();
  expect((await begin()).sessionId).toBe(sessionId);
  const started = await client.agents.list(sessionId).toArray({ limit: 10 });
  for (const agent of started) await client.agents.stop(agent.id);
  const { accessToken } = NextAccess.parse(await (await ask('PUT')).json());
  expect(await client.agents.list(sessionId).toArray({ limit: 10 })).toHaveLength(started.length);
  const guest = createClient({ baseUrl: api.url, token: accessToken });
  const said = await guest.messages.say(sessionId, { content: 'Good morning' });
  const { items } = await guest.messages.list(sessionId);
  expect(items.find((message) => message.id === said.id)?.metadata).toMatchObject({
    participant: { externalId: 'user-17', name: 'Ada' },
  });
  await client.sessions.close(sessionId);
  expect((await ask('PUT')).status).toBe(404);
});
