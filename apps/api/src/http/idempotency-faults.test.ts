import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { startApi } from '../../testing/api-process.ts';

// The point at which the API is killed: PostgreSQL holds its statement there until the process is dead.
test.each([
  ['before the commit', `create trigger hold before insert on projects`, 0],
  [
    'after it, and before the answer',
    `create constraint trigger hold after insert on projects initially deferred`,
    1,
  ],
])(
  'an API killed %s: the same request to another one makes one object',
  async (_, trigger, made) => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(path.join(tmpdir(), 'api-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const database = stack.use(await createTestDatabase());
    const { sql } = stack.use(openDatabase(database.url, { connections: 1 }));
    const next = stack.use(await startTestApi(database.url));
    const ana = await next.createUser();
    const first = stack.use(
      await startApi(`${database.url}?lock_timeout=0&statement_timeout=0`, folder),
    );
    await sql`
    create function hold() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(7); return new; end'`;
    await sql.unsafe(`${trigger} for each row execute function hold()`);
    const asked = { method: 'POST' as const, url: '/projects', payload: { name: 'one' } };
    const headers = { authorization: `Bearer ${ana.token}`, 'idempotency-key': 'key' };
    const held = () => sql`
    select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    const ids = () => sql<{ id: string }[]>`select id from projects`;

    await sql`select pg_advisory_lock(7)`;
    const asking = fetch(first.url + asked.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(asked.payload),
    }).catch(() => {});
    await expect.poll(held).toHaveLength(1);
    await first.end('SIGKILL');
    await asking;
    await sql`select pg_advisory_unlock(7)`;
    await expect.poll(held).toHaveLength(0);
    const isOver = () => sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name like 'api-%' and state <> 'idle'`;
    await expect.poll(isOver).toHaveLength(0);
    const before = await ids();
    expect(before).toHaveLength(made);

    const answer = await next.inject(ana, { ...asked, headers });
    expect(answer.statusCode).toBe(201);
    const after = await ids();
    expect(after).toEqual([{ id: answer.json().id }]);
    expect(after).toEqual(expect.arrayContaining([...before]));
  },
  90_000,
);
