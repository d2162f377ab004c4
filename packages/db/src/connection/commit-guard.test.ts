import { startRestorableServer } from '@session/testing';
import { expect, test } from 'vitest';
import { createSuccessor } from '../../testing/successor.ts';
import { classOfError } from '../errors/error-class.ts';
import { openDatabase } from './client.ts';
import { CommitGuard } from './commit-guard.ts';

const CONNECTIONS = 2;

test('while no standby answers, a process leaves no more waiting connections than its pool has, and reads go on', async () => {
  await using server = await startRestorableServer();
  await using admin = openDatabase(server.url, { connections: 1 });
  const successorUrl = await createSuccessor({ sql: admin.sql, url: server.url }, 'session');
  await admin.sql`create table notes (number integer)`;
  await admin.sql`grant all on notes to session`;
  const setStandby = async (name: string) => {
    await admin.sql.unsafe(`alter system set synchronous_standby_names = '${name}'`);
    await admin.sql`select pg_reload_conf()`;
  };
  const countWaiting = async () => {
    const rows = await admin.sql`select pid from pg_stat_activity where wait_event = 'SyncRep'`;
    return rows.length;
  };
  const settings = {
    applicationName: 'writer',
    connections: CONNECTIONS,
    statementTimeoutMs: 2000,
  };
  await using database = openDatabase(successorUrl, settings);
  const { sql } = database;
  const guard = new CommitGuard(database);
  let number = 0;
  const write = () => {
    number += 1;
    return guard.run(async () => await sql`insert into notes values (${number})`);
  };
  const failure = () => write().then(() => undefined, classOfError);

  await setStandby('nobody');
  // The setting takes effect a moment later.
  while ((await failure()) === undefined);
  const later = [];
  for (let count = 0; count < 2 * CONNECTIONS; count += 1) later.push(await failure());
  later.push(...(await Promise.all(later.map(failure))));
  expect([...new Set(later)]).toEqual(['away']);
  expect(await countWaiting()).toBeGreaterThan(0);
  expect(await countWaiting()).toBeLessThanOrEqual(CONNECTIONS);
  // A slow machine may not answer within the limit at once.
  const read = async () => await sql`select 1 as answer`.catch(classOfError);
  await expect.poll(read).toEqual([{ answer: 1 }]);

  await setStandby('');
  await expect.poll(countWaiting).toBe(0);
  await expect.poll(failure).toBeUndefined();
  const [last] = await sql`select max(number) as number from notes`;
  expect(last).toEqual({ number });
});
