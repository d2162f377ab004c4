import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { createTestDatabase, DatabaseProxy, programEnv, serviceProgram } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';

const env = {
  JWT_SECRET: 'a secret of the tests, 32 bytes or more',
  MEDIA_URL: 'ws://127.0.0.1:1',
  MEDIA_API_KEY: 'key',
  MEDIA_API_SECRET: 'secret',
  DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/db',
};

test('every fault of the configuration is named, including those of the file .env, and the exit code is 1', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'api-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, '.env'), 'PORT=many\nLOG_LEVEL=hunter2\n');
  const api = startApi({ ...env, JWT_SECRET: 'hunter2', LOG_LEVEL: 'info' }, folder);
  const [said, [code]] = await Promise.all([text(streamOf(api.stderr)), once(api, 'exit')]);
  expect(said.trim().split('\n')).toEqual([
    expect.stringMatching(/^JWT_SECRET is not valid: at least 32 bytes/),
    'PORT is not valid: a whole number from 0 to 65535',
  ]);
  expect(said).not.toContain('hunter2');
  expect(code).toBe(1);
});

test('a warning at the start without an encryption key, and none with one', async () => {
  await using database = await createTestDatabase();
  const given = { ...env, DATABASE_URL: database.url, PORT: '0' };
  const warned = [];
  for (const more of [{}, { ENCRYPTION_KEY: 'a key of the tests, of 32 bytes or more' }]) {
    const api = startApi({ ...given, ...more }, tmpdir());
    const said = text(streamOf(api.stdout));
    await once(api, 'message');
    api.kill('SIGTERM');
    warned.push((await said).includes('ENCRYPTION_KEY not set'));
  }
  expect(warned).toEqual([true, false]);
});

test('a request that has begun is answered after SIGTERM; then the API ends with code 0', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const api = startApi({ ...env, DATABASE_URL: database.url, PORT: '0' }, tmpdir());
  const [url] = await Promise.all([urlOf(api), once(api, 'message')]);
  const headers = { 'content-type': 'application/json', expect: '100-continue' };
  // This request reads and writes the database. A sign-up would also hash a password, which is slow on a busy machine.
  const look = request(new URL('/invitations/look', url), { method: 'POST', headers });
  look.flushHeaders();
  await once(look, 'continue');
  api.kill('SIGTERM');
  look.end(JSON.stringify({ secret: 'of no invitation' }));
  const [[answer], [code]] = await Promise.all([once(look, 'response'), once(api, 'exit')]);
  expect([answer.statusCode, await json(answer)]).toMatchObject([404, { code: 'link_invalid' }]);
  expect(code).toBe(0);
});

test('asked to stop while it waits for a silent database, the API ends with code 0', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  databaseProxy.silence();
  const api = startApi({ ...env, DATABASE_URL: databaseProxy.url, PORT: '0' }, tmpdir());
  await expect.poll(() => databaseProxy.connectionCount).toBe(1);
  api.kill('SIGINT');
  const [said, exit] = await Promise.all([text(streamOf(api.stderr)), once(api, 'exit')]);
  expect([said, exit]).toEqual(['', [0, null]]);
});

test('asked to stop when the database has fallen silent, the API gives up what it cannot store, and ends with code 0', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  const api = startApi({ ...env, DATABASE_URL: databaseProxy.url, PORT: '0' }, tmpdir());
  await once(api, 'message');
  databaseProxy.silence();
  api.kill('SIGTERM');
  expect(await once(api, 'exit')).toEqual([0, null]);
});

test('a port that is in use is named, and the exit code is 1', async () => {
  await using database = await createTestDatabase();
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const address = other.address();
  const PORT = String(typeof address === 'object' ? address?.port : address);
  const api = startApi({ ...env, DATABASE_URL: database.url, PORT }, tmpdir());
  const [said, [code]] = await Promise.all([text(streamOf(api.stderr)), once(api, 'exit')]);
  expect(said).toBe(`127.0.0.1:${PORT} is taken by another program: set PORT.\n`);
  expect(code).toBe(1);
});

test('an API without a cluster, traces and documentation loads no library for these, nor one to join rooms or to migrate', async () => {
  await using database = await createTestDatabase();
  const unused =
    /^(@fastify\/(ajv-compiler|swagger)|@kubernetes\/|@livekit\/rtc-|@opentelemetry\/sdk|drizzle-orm)/;
  const hook = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (${unused}.test(name)) throw new Error(name);
      return next(name, context);
    } });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
  const variables = { ...env, DATABASE_URL: database.url, PORT: '0', NODE_OPTIONS };
  const source = ['--conditions=@source', path.join(import.meta.dirname, 'main.ts')];
  const api = startApi(variables, tmpdir(), source);
  const said = text(streamOf(api.stderr));
  const [message] = await Promise.race([once(api, 'message'), once(api, 'exit')]);
  api.kill('SIGTERM');
  expect([message, await said]).toEqual(['ready', '']);
});

function startApi(
  variables: NodeJS.ProcessEnv,
  cwd: string,
  program = [serviceProgram('api')],
): ChildProcess {
  const api = spawn(process.execPath, program, {
    cwd,
    env: { ...programEnv(), ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void api.kill('SIGKILL'));
  return api;
}

/** Returns the URL at which the program listens, from its log. */
async function urlOf(api: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: streamOf(api.stdout) })) {
    const [url] = /http:[^"]+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the program has ended');
}

function streamOf<T>(stream: T | null): T {
  if (!stream) throw new Error('the stream is not piped');
  return stream;
}
