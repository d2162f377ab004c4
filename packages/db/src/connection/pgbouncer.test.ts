import { once } from 'node:events';
import { connect } from 'node:net';
import {
  createTestDatabase,
  pgbouncerVersion,
  startPgbouncer,
  type TestDatabase,
} from '@session/testing';
import { expect, test } from 'vitest';
import { checkPooler } from '../startup/check-pooler.ts';
import { prepareDatabase } from '../startup/prepare-database.ts';
import { allRows } from '../statement/rows.ts';
import { statement } from '../statement/statement.ts';
import { openDatabase, POOLED_SETTINGS } from './client.ts';

const version = await pgbouncerVersion();
const MISSING = 'skipped: pgbouncer is not installed';
/** Older versions keep no prepared statements when they pool transactions. */
const PREPARES = 1.21;
const stop = new AbortController().signal;

/** Sets the limits as the error message of a start without them says. */
async function setLimits({ url }: TestDatabase): Promise<void> {
  await using own = openDatabase(url, { connections: 1 });
  const [row] = await own.sql`select current_database() as name`;
  for (const [name, value] of Object.entries(POOLED_SETTINGS)) {
    await own.sql.unsafe(
      `alter role current_user in database "${row?.['name']}" set ${name} = '${value}'`,
    );
  }
}

test.skipIf(version === undefined)(
  `PgBouncer of sessions: a start without limits says how to set them; with them each connection has them (${version ?? MISSING})`,
  async () => {
    await using database = await createTestDatabase({ isMigrated: false });
    await using pooler = await startPgbouncer(database.url, 'session');
    const urls = { databaseUrl: pooler.urlOf(database.url), databaseDirectUrl: database.url };
    await expect(prepareDatabase(urls, { stop })).rejects.toThrow(
      /alter role ".*" in database ".*" set statement_timeout = '10000';\n.*lock_timeout/,
    );
    await setLimits(database);
    // A pooler with new connections, because the old ones still have the former settings.
    await using again = await startPgbouncer(database.url, 'session');
    const databaseUrl = again.urlOf(database.url);
    await prepareDatabase({ databaseUrl, databaseDirectUrl: database.url }, { stop });
    await using pooled = openDatabase(databaseUrl, { connections: 5, isPooled: true });
    const names = [...Object.keys(POOLED_SETTINGS), 'TimeZone'];
    const settings = await pooled.sql`
      select name, setting from pg_settings where name = any (${names}::text[])`;
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      statement_timeout: '10000',
      lock_timeout: '1000',
      idle_in_transaction_session_timeout: '10000',
      plan_cache_mode: 'force_generic_plan',
      TimeZone: 'UTC',
    });
  },
);

test.skipIf(version === undefined)(
  `two URLs that lead to different databases, or a direct one that leads to a pooler of transactions, are refused (${version ?? MISSING})`,
  async () => {
    await using database = await createTestDatabase();
    await using other = await createTestDatabase();
    await setLimits(database);
    await using pooler = await startPgbouncer(database.url, 'transaction');
    const databaseUrl = pooler.urlOf(database.url);
    const prepare = (databaseDirectUrl: string) =>
      prepareDatabase({ databaseUrl, databaseDirectUrl }, { stop });
    await expect(prepare(other.url)).rejects.toThrow('DATABASE_URL did not arrive');
    await expect(prepare(`${databaseUrl}?application_name=direct`)).rejects.toThrow(
      'The database of DATABASE_DIRECT_URL refuses start-up parameters',
    );
    // A pooler that ignores start-up parameters.
    await expect(
      checkPooler({ databaseUrl, databaseDirectUrl: databaseUrl }, { timeoutMs: 30_000, stop }),
    ).rejects.toThrow('DATABASE_URL did not arrive');
  },
);

test.skipIf(version === undefined)(
  `a start waits while PgBouncer takes no more clients, for which it has the code of refused parameters (${version ?? MISSING})`,
  async () => {
    await using database = await createTestDatabase();
    await using pooler = await startPgbouncer(database.url, 'session');
    const urls = { databaseUrl: pooler.urlOf(database.url), databaseDirectUrl: database.url };
    const { hostname, port } = new URL(urls.databaseUrl);
    // As many clients as PgBouncer accepts. A client counts from its first byte on.
    const clients = Array.from({ length: 200 }, () => connect(Number(port), hostname));
    for (const client of clients) client.write('0');
    await Promise.all(clients.map((client) => once(client, 'connect')));
    // PgBouncer does not read its clients in the order of their connections, so a check may come before the last of
    // them.
    const failure = () =>
      checkPooler(urls, { timeoutMs: 1000, stop }).then(String, (error: unknown) => String(error));
    await expect
      .poll(failure)
      .toContain('The database of DATABASE_URL has not answered for 1 s (08P01)');
    for (const client of clients) client.destroy();
  },
);

const modes = [
  { mode: 'session', isPossible: version !== undefined },
  { mode: 'transaction', isPossible: (version ?? 0) >= PREPARES },
] as const;

test.for(modes)(
  `PgBouncer of $mode: statements are prepared once, beside those of others (${version ?? MISSING}; transactions from ${PREPARES})`,
  async ({ mode, isPossible }, { skip }) => {
    if (!isPossible) skip(`PgBouncer ${version ?? 'is not installed'}`);
    await using database = await createTestDatabase();
    await setLimits(database);
    await using pooler = await startPgbouncer(database.url, mode);
    const databaseUrl = pooler.urlOf(database.url);
    await prepareDatabase({ databaseUrl, databaseDirectUrl: database.url }, { stop });
    const add = statement(
      'add',
      (one: number, other: number) => [one, other],
      allRows<{ sum: number }>,
    )`
select $1::int + $2::int as sum`;
    const pools = [1, 2, 3].map(() =>
      openDatabase(databaseUrl, { connections: 5, isPooled: true }),
    );
    await using stack = new AsyncDisposableStack();
    for (const pool of pools) stack.use(pool);
    const answers = pools.map(async ({ sql }) => {
      const asked = Array.from({ length: 80 }, (_, n) => add({ sql }, n, 1));
      return (await Promise.all(asked)).map(([row]) => row?.sum);
    });
    const sums = Array.from({ length: 80 }, (_, n) => n + 1);
    expect(await Promise.all(answers)).toEqual([sums, sums, sums]);
  },
);
