import { DatabaseProxy } from '@session/testing';
import { expect, test } from 'vitest';
import { TestStage } from '../testing/stage.ts';

test('behind a pooler one connection of a recorder leads past it: it listens for sessions', async () => {
  await using stage = await TestStage.open();
  await using direct = await DatabaseProxy.open(stage.databaseUrl);
  await stage.record({ config: { databaseDirectUrl: direct.url } });
  const { sql } = stage.database;
  const listening = () => sql`
    select query from pg_stat_activity
    where datname = current_database() and query like 'listen %'`;
  await expect.poll(listening).toEqual([{ query: 'listen session_changed' }]);
  await expect.poll(() => direct.connectionCount).toBe(1);
  await direct.refuseConnections();
  await expect.poll(listening).toEqual([]);
});
