import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('wrong keys are not told apart; after 20 in a minute a network has to wait, but for the keys it has used', async ({
  api,
  ana,
}) => {
  const remoteAddress = '192.0.2.7';
  const projectId = await api.createProject(ana);
  const [key, unused] = [await api.createKey(projectId), await api.createKey(projectId)];
  const ask = async ({ token }: TestUser) =>
    await api.inject({ ...key, token }, { url: '/projects', remoteAddress });
  expect((await ask(key)).statusCode).toBe(200);
  const wrong = [
    'ck_',
    `${key.token.slice(0, -1)}${key.token.endsWith('a') ? 'b' : 'a'}`,
    `${key.token.slice(0, 20)}${unused.token.slice(20)}`,
  ];
  const problems = new Set<string>();
  for (let count = 0; count < 20; count += 1) {
    const answer = await ask({ ...key, token: wrong[count % wrong.length] ?? '' });
    const { requestId: _id, ...problem } = answer.json();
    problems.add(JSON.stringify(problem));
  }
  expect(problems.size).toBe(1);
  expect([...problems][0]).toContain('"status":401');
  const limited = await ask(unused);
  expect([limited.statusCode, limited.json().code]).toEqual([429, 'too_many_requests']);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(key)).statusCode).toBe(200);
  expect((await api.inject(unused, { url: '/projects' })).statusCode).toBe(200);
});

test('no key is in the log; when keys were used is noted at the latest when the API ends', async ({
  databaseUrl,
}) => {
  const logStream = new PassThrough();
  const logged = text(logStream);
  let token = '';
  {
    await using api = await startTestApi(databaseUrl, { logStream });
    const projectId = await api.createProject(await api.createUser());
    const key = await api.createKey(projectId);
    ({ token } = key);
    expect(await read(api, key)).toBe(200);
    await api.inject({ ...key, token: `${token}a` }, { url: `/projects?key=${token}` });
    await api.app.close();
    const [used] = await api.deps.database.sql`
      select last_used_at is not null as noted from api_keys where user_id = ${key.id}`;
    expect(used).toEqual({ noted: true });
  }
  logStream.end();
  const log = await logged;
  expect(log).toContain('the API key is refused');
  expect(log).not.toContain(token.slice(20));
});

test('when a key was used is noted once a minute, however often it is used', async ({
  database,
  onTestFinished,
}) => {
  const { setTimeout: later } = globalThis;
  const waits: (() => unknown)[] = [];
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((call, ms, ...rest) => {
    if (ms === 60_000) waits.push(() => call(...rest));
    return later(call, ms, ...rest);
  });
  onTestFinished(() => timers.mockRestore());
  await using plain = await startTestApi(database.url);
  let notes = 0;
  const counted = answeredDatabase(plain.deps.database, (name) => {
    if (name === 'note_secret_uses') notes += 1;
    return undefined;
  });
  await using api = await startTestApi(database.url, { deps: { database: counted } });
  const key = await api.createKey(await api.createProject(await api.createUser()));
  for (const minute of [1, 2]) {
    expect([await read(api, key), await read(api, key)]).toEqual([200, 200]);
    expect(notes).toBe(minute - 1);
    const notesAfterMinute = () => {
      for (const passMinute of waits.splice(0)) passMinute();
      return notes;
    };
    await expect.poll(notesAfterMinute).toBe(minute);
  }
});

async function read(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/projects' })).statusCode;
}
