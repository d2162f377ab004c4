import { createTestDatabase, startStandby } from '@session/testing';
import { expect, inject, test } from 'vitest';
import { isDatabaseAway } from '../errors/is-database-away.ts';
import { openDatabase } from './client.ts';

/** Returns a URL that names the hosts of all these URLs, and asks for the primary among them. */
function urlOf(...urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host);
  const url = new URL(urls.at(-1) ?? '');
  const login = `${url.username}:${url.password}`;
  return `postgres://${login}@${hosts.join()}${url.pathname}?target_session_attrs=primary`;
}

test('of several hosts, the primary gets all statements, wherever it stands', async () => {
  await using standby = await startStandby();
  const { adminUrl } = inject('postgres');
  for (const url of [urlOf(standby.url, adminUrl), urlOf(adminUrl, standby.url, adminUrl)]) {
    await using database = openDatabase(url, { connections: 5 });
    const ask = () => database.sql`select pg_is_in_recovery() as is_standby`;
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect(answers.flat().some((row) => row['is_standby'])).toBe(false);
  }
});

test('while no host is a primary, statements fail in time and the attempts are few; after a promotion they succeed', async () => {
  await using first = await startStandby();
  await using second = await startStandby();
  await using database = openDatabase(urlOf(first.url, second.url), { connections: 1 });
  await expect(database.sql`select 1`).rejects.toSatisfy(isDatabaseAway);
  await using admin = openDatabase(second.url, { connections: 1 });
  // A client that did not wait between its attempts would open thousands of sessions.
  const [row] = await admin.sql`select sessions from pg_stat_database where datname = 'postgres'`;
  expect(Number(row?.['sessions'])).toBeLessThan(30);
  await admin.sql`select pg_promote()`;
  const [answer] = await database.sql`select pg_is_in_recovery() as is_standby`;
  expect(answer).toEqual({ is_standby: false });
}, 60_000);

test('hosts that are all down fail a statement in time', async () => {
  await using database = await createTestDatabase();
  const dead = [1, 2].map((port) => `postgres://postgres@127.0.0.1:${port}/postgres`);
  await using client = openDatabase(urlOf(...dead), { connections: 1 });
  await expect(client.sql`select 1`).rejects.toSatisfy(isDatabaseAway);
  await using living = openDatabase(urlOf(...dead, database.url), { connections: 1 });
  expect(await living.sql`select 1 as answer`).toEqual([{ answer: 1 }]);
}, 30_000);
