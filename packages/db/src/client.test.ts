import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestDatabase, DatabaseProxy } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './client.ts';
import { isDatabaseAway } from './is-database-away.ts';

test('connections say whose they are, stop a statement in time, and speak UTC in plain text', async () => {
  await using database = await createTestDatabase();
  const settings = { applicationName: 'api-1', connections: 1, statementTimeoutMs: 50 };
  await using client = openDatabase(database.url, settings);
  const rows = await client.sql`
    select name, setting from pg_settings where name in ('application_name', 'statement_timeout', 'lock_timeout',
      'idle_in_transaction_session_timeout', 'TimeZone')`;
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    application_name: 'api-1',
    statement_timeout: '50',
    lock_timeout: '3000',
    idle_in_transaction_session_timeout: '10000',
    TimeZone: 'UTC',
  });
  await expect(client.sql`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' });
  expect(await client.sql`select '2026-11-21T09:00:00+01:00'::timestamptz as at`).toEqual([
    { at: '2026-11-21 08:00:00+00' },
  ]);
});

test('connections that die while they are made harm no statement, and not the process', async () => {
  await using database = await createTestDatabase();
  await using killer = openDatabase(database.url, { connections: 1 });
  await using victims = new AsyncDisposableStack();
  const answers = Array.from({ length: 20 }, () => {
    const victim = victims.use(openDatabase(database.url, { connections: 1 }));
    return victim.sql`select 1 as answer`.catch(() => 'failed');
  });
  let deaths = 0;
  while (deaths < 20) {
    const killed = await killer.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    deaths += killed.length;
  }
  // Its error is one that nobody could catch: it would fail the run.
  for (const answer of await Promise.all(answers))
    expect(['failed', [{ answer: 1 }]]).toContainEqual(answer);
});

test('what a query gave can be collected while it is young', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  setFlagsFromString('--expose-gc');
  const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');
  const statement = 'select repeat($1, 1000) as words from generate_series(1, 100)';
  const read = () => client.sql.unsafe(statement, ['x'], { prepare: true });
  await read();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 1; count <= 200; count += 1) {
    await read();
    // What was young twice is old.
    if (count % 20 === 0) for (const _ of [1, 2]) collect({ type: 'minor' });
  }
  const keptMb = (process.memoryUsage().heapUsed - before) / 1e6;
  // Of 20 MB.
  expect(keptMb).toBeLessThan(5);
});

test('arrays come back as they went', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  const texts = ['', 'null', '"\\ {,} ü'];
  const ids = ['01a1fd7a-c971-7694-8392-ef82743089a4'];
  const statement =
    'select $1::text[] as texts, $2::bigint[] as bigints, $3::uuid[] as ids, $4::uuid[] as none';
  expect(await client.sql.unsafe(statement, [texts, [1, 2 ** 40], ids, []])).toEqual([
    { texts, bigints: ['1', String(2 ** 40)], ids, none: [] },
  ]);
});

test('connections that have gone silent fail their statements in time, and the next ones take new ways', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, { connections: 2, statementTimeoutMs: 200 });
  const ask = () => client.sql`select ${1}::int as answer`;
  const all = () => Promise.allSettled([ask(), ask(), ask(), begin()]);
  const begin = () => client.sql.begin(async (sql) => [...(await sql`select 1 as answer`)]);
  await all();
  databaseProxy.silenceOpenConnections();
  const failures = await all();
  expect(failures.map(codeOf)).toContain('ETIMEDOUT');
  // One that found no connection may have waited for the next.
  const refusals = failures.flatMap((failure) => ('reason' in failure ? [failure.reason] : []));
  expect(refusals.every(isDatabaseAway)).toBe(true);
  await expect.poll(async () => (await all()).map(codeOf)).toEqual(failures.map(() => undefined));
});

test('a server that hangs up in mid-transaction fails it, and not the process; nothing of it is done', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, { connections: 1 });
  await client.sql`create table done (it int)`;
  const outcome = client.sql.begin(async (sql) => {
    await sql`insert into done values (1)`;
    const waiting = sql`select pg_sleep(60)`;
    const next = sql`insert into done values (2)`;
    setImmediate(() => databaseProxy.hangUp());
    await Promise.allSettled([waiting, next]);
    // Others have got the connection meanwhile, or a new one in its place.
    while ((await client.sql`select 1`.catch(() => [])).length === 0);
    await sql`insert into done values (3)`;
  });
  await expect(outcome).rejects.toSatisfy(isDatabaseAway);
  // The rest of what was begun has been refused by now.
  await client.sql`select 1`;
  expect(await client.sql`select * from done`).toEqual([]);
});

test('a server that is silent does not keep a process that has ended its connections', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  const program = `
    const { openDatabase } = await import(${JSON.stringify(new URL('client.ts', import.meta.url).href)});
    const database = openDatabase(${JSON.stringify(databaseProxy.url)});
    await database.sql\`select 1\`;
    process.once('message', () => database[Symbol.asyncDispose]().then(() => process.disconnect()));
    process.send('connected');`;
  const child = spawn(
    process.execPath,
    ['--conditions=@source', '--input-type=module', '--eval', program],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  databaseProxy.silence();
  const exit = once(child, 'exit');
  child.send('end');
  expect(await exit).toEqual([0, null]);
}, 20_000);

test('a statement asked while its connection breaks is answered, or refused', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, { connections: 1, statementTimeoutMs: 200 });
  await client.sql`select 1`;
  databaseProxy.silenceOpenConnections();
  // At the failure of the first, the connection has its error and is not closed yet.
  const second = client.sql`select 1`.catch(() => client.sql`select 2 as answer`);
  const [outcome] = await Promise.allSettled([second]);
  expect(['ETIMEDOUT', 'CONNECTION_CLOSED', undefined]).toContain(codeOf(outcome));
});

function codeOf(outcome: PromiseSettledResult<unknown>): string | undefined {
  return outcome.status === 'rejected' ? outcome.reason.code : undefined;
}
