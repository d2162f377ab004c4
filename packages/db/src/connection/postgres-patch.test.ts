import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTestDatabase, DatabaseProxy } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { isDatabaseAway } from '../errors/is-database-away.ts';
import { openDatabase } from './client.ts';

// A test for each part of patches/postgres@3.4.9.patch, by its number: docs/decisions/0001-patch-of-postgres-js.md.
// Each fails without its part.

test('patch 1/10: a statement that is sent while its connection breaks is answered, or refused', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, {
    connections: 1,
    statementTimeoutMs: 1000,
  });
  await client.sql`select 1`;
  databaseProxy.silenceOpenConnections();
  // When the first statement fails, the connection has an error, but is not closed yet.
  const second = client.sql`select 1`.catch(() => client.sql`select 2 as answer`);
  const [outcome] = await Promise.allSettled([second]);
  expect(['ETIMEDOUT', 'CONNECTION_CLOSED', undefined]).toContain(codeOf(outcome));
});

test('patch 2/10: a server that hangs up in mid-transaction fails the transaction, not the process, and nothing is stored', async () => {
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
    // Other statements get the connection meanwhile, or a new connection.
    while ((await client.sql`select 1`.catch(() => [])).length === 0);
    await sql`insert into done values (3)`;
  });
  await expect(outcome).rejects.toSatisfy(isDatabaseAway);
  // By now the rest of the transaction has been refused.
  await client.sql`select 1`;
  expect(await client.sql`select * from done`).toEqual([]);
});

test('patch 3/10: connections that have gone silent fail their statements in time, and the next statements get new connections', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, {
    connections: 2,
    statementTimeoutMs: 1000,
  });
  const ask = () => client.sql`select ${1}::int as answer`;
  const all = () => Promise.allSettled([ask(), ask(), ask(), begin()]);
  const begin = () => client.sql.begin(async (sql) => [...(await sql`select 1 as answer`)]);
  await all();
  databaseProxy.silenceOpenConnections();
  const failures = await all();
  expect(failures.map(codeOf)).toContain('ETIMEDOUT');
  // A statement that found no connection may have waited for the next.
  const refusals = failures.flatMap((failure) => ('reason' in failure ? [failure.reason] : []));
  expect(refusals.every(isDatabaseAway)).toBe(true);
  await expect.poll(async () => (await all()).map(codeOf)).toEqual(failures.map(() => undefined));
});

test('patch 4/10: a silent server does not keep a process alive that has ended its connections', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  const child = startProgram(`
    const { openDatabase } = await import(${JSON.stringify(new URL('client.ts', import.meta.url).href)});
    const database = openDatabase(${JSON.stringify(databaseProxy.url)});
    await database.sql\`select 1\`;
    process.once('message', () => database[Symbol.asyncDispose]().then(() => process.disconnect()));
    process.send('connected');`);
  await once(child, 'message');
  databaseProxy.silence();
  const exit = once(child, 'exit');
  child.send('end');
  expect(await exit).toEqual([0, null]);
}, 20_000);

test('patch 4/10: a connection that waits for its next attempt is not made after its end', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  const child = startProgram(`
    const { default: postgres } = await import(${JSON.stringify(import.meta.resolve('postgres'))});
    const onclose = () => process.send('closed');
    const client = postgres(${JSON.stringify(databaseProxy.url)}, { max: 1, backoff: () => 0.3, onclose });
    await client\`select 1\`;
    process.once('message', async () => {
      const asked = client\`select 1\`.catch(() => {});
      await client.end({ timeout: 0 });
      await asked;
      process.disconnect();
    });
    process.send('connected');`);
  await once(child, 'message');
  const closed = once(child, 'message');
  databaseProxy.hangUp();
  await closed;
  const exit = once(child, 'exit');
  child.send('end');
  expect(await exit).toEqual([0, null]);
}, 20_000);

test('patch 5/10: the rows of a query can be collected while they are young', async () => {
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
    // An object that survives two minor collections is old.
    if (count % 20 === 0) for (const _ of [1, 2]) collect({ type: 'minor' });
  }
  const keptMb = (process.memoryUsage().heapUsed - before) / 1e6;
  // The statements read 20 MB in total.
  expect(keptMb).toBeLessThan(5);
});

test('patch 6/10: a connection on which the server is read-only is closed, and the next statement takes another', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 1 });
  await client.sql`create table done (it int)`;
  const insert = () => client.sql`insert into done values (1) returning it`;
  const write = () =>
    client.sql.begin(async (sql) => [...(await sql`insert into done values (2)`)]);
  for (const attempt of [insert, write]) {
    // As after a failover: this connection leads to a server that takes no writes any more.
    await client.sql`set default_transaction_read_only = on`;
    await expect(attempt()).rejects.toSatisfy(isDatabaseAway);
    expect(await insert()).toHaveLength(1);
  }
  expect(await client.sql`select * from done`).toHaveLength(2);
});

test('patch 7/10: a server that hangs up on each new connection fails a statement in time', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).end());
  onTestFinished(() => void server.close());
  let attempts = 0;
  server.on('connection', () => (attempts += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await using client = openDatabase(`postgres://ana@127.0.0.1:${port}/db`, { connections: 1 });
  await expect(client.sql`select 1`).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
  // Without a wait between attempts there would be thousands.
  expect(attempts).toBeLessThan(30);
}, 20_000);

test('patch 8/10: a connection that closes while a statement waits to be written connects again at once', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, { connections: 1 });
  await client.sql`select 1`;
  databaseProxy.hangUp();
  const outcomes: Promise<PromiseSettledResult<unknown>[]>[] = [];
  // The driver writes a statement in the next turn of the event loop, and a socket closes at the end of a turn.
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
    outcomes.push(Promise.allSettled([client.sql`select 1`]));
    // After this tick the driver has the statement, and the next turn begins with its write.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  const codes = (await Promise.all(outcomes)).flat().map(codeOf);
  expect(codes).toContain('CONNECTION_CLOSED');
  expect(codes).not.toContain('CONNECT_TIMEOUT');
}, 60_000);

test('patch 9/10: a statement that fails in mid-result adds nothing to the next result, and a lost connection fails nothing more', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using client = openDatabase(databaseProxy.url, { connections: 1 });
  await using admin = openDatabase(database.url, { connections: 1 });
  const ask = async () => [...(await client.sql`select 1 as answer`)];
  const divide = client.sql`select 1 / (1000 - i) from generate_series(1, 1000) i`;
  await expect(divide).rejects.toMatchObject({ code: '22012' });
  expect(await ask()).toEqual([{ answer: 1 }]);
  const isSending = async () => {
    const rows = await admin.sql`select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`;
    return rows.length;
  };
  const end = () => admin.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  for (const breakOff of [end, async () => databaseProxy.hangUp()]) {
    const broken = client.sql`select repeat('x', 1000), case i when 1000 then pg_sleep(60) end
      from generate_series(1, 1000) i`;
    const settled = Promise.allSettled([broken]);
    await expect.poll(isSending).toBe(1);
    await breakOff();
    expect((await settled).map(codeOf)).toEqual(['CONNECTION_CLOSED']);
    expect(await ask()).toEqual([{ answer: 1 }]);
  }
});

test('patch 10/10: transactions run without a pipeline, each on a connection of its own', async () => {
  await using database = await createTestDatabase();
  await using client = openDatabase(database.url, { connections: 2 });
  await client.sql`create table done (it int)`;
  const insert = (it: number) =>
    client.sql.begin(async (sql) => {
      await sql`insert into done values (${it})`;
      if (it % 2 === 0) throw new Error('even');
    });
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(insert));
  expect(outcomes.map(({ status }) => status)).toEqual(
    [1, 2, 3, 4, 5].map((it) => (it % 2 === 0 ? 'rejected' : 'fulfilled')),
  );
  expect(await client.sql`select it from done order by it`).toEqual([
    { it: 1 },
    { it: 3 },
    { it: 5 },
  ]);
});

function codeOf(outcome: PromiseSettledResult<unknown>): string | undefined {
  return outcome.status === 'rejected' ? outcome.reason.code : undefined;
}

/** Starts a program with this text, with a channel to this process. */
function startProgram(text: string): ChildProcess {
  const args = ['--conditions=@source', '--input-type=module', '--eval', text];
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, args, { stdio: [...stdio] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
