import { isPooled, openDatabase, prepareDatabase } from '@session/db';
import {
  createTestDatabase,
  DatabaseProxy,
  pgbouncerVersion,
  startPgbouncer,
  testMedia,
} from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';

const version = (await pgbouncerVersion()) ?? 0;
/** The limits that the guide for operators names. */
const LIMITS = {
  statement_timeout: '10s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '10s',
  plan_cache_mode: 'force_generic_plan',
};

const MODES = [
  { mode: 'session', least: 1 },
  { mode: 'transaction', least: 1.21 },
] as const;

test.for(MODES)(
  'behind PgBouncer of $mode, from $least on: what one API stores, a reader that waits at another gets',
  async ({ mode, least }, { skip }) => {
    if (version < least) skip(`PgBouncer ${version || 'is not installed'}`);
    await using database = await createTestDatabase();
    await using own = openDatabase(database.url, { connections: 1 });
    const [row] = await own.sql`select current_database() as name`;
    for (const [name, value] of Object.entries(LIMITS)) {
      const where = `current_user in database "${row?.['name']}"`;
      await own.sql.unsafe(`alter role ${where} set ${name} = '${value}'`);
    }
    await using pooler = await startPgbouncer(database.url, mode);
    const databaseUrl = pooler.urlOf(database.url);
    await using direct = await DatabaseProxy.open(database.url);
    const urls = { databaseUrl, databaseDirectUrl: direct.url };
    expect(isPooled(urls)).toBe(true);
    await prepareDatabase(urls, { stop: new AbortController().signal });
    const options = { media: testMedia(), env: { DATABASE_DIRECT_URL: direct.url } };
    await using writer = await startTestApi(databaseUrl, options);
    await using reader = await startTestApi(databaseUrl, options);
    const ana = await writer.createUser();
    const sessionId = await writer.createSession(ana);
    const since = encodeURIComponent(new Date(Date.now() - 1000).toISOString());
    const url = `/sessions/${sessionId}/messages/latest?since=${since}&wait=25`;
    const waiting = reader.inject(ana, { url });
    await expect
      .poll(async () =>
        (await reader.deps.metrics.registry.metrics()).includes('session_waiting_readers 1'),
      )
      .toBe(true);
    const sent = await writer.inject(ana, {
      method: 'POST',
      url: `/sessions/${sessionId}/messages`,
      payload: { content: 'Good morning' },
    });
    expect(sent.statusCode).toBeLessThan(300);
    const answer = await waiting;
    expect(answer.json().items).toMatchObject([{ content: 'Good morning' }]);
    // One connection of each listens, and nothing else goes past the pooler: in a pool of sessions LISTEN would work, too.
    await expect.poll(() => direct.connectionCount).toBe(2);
  },
);
