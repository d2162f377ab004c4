import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { identify } from '@session/kit';
import { createTestDatabase, DatabaseProxy, startMediaServer } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openTestAgents, runs } from '../../../testing/agents.ts';

test('a database that is away delays the ends of agents, and loses none of them', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  const program = `process.on('SIGTERM', () => process.exit(0)); console.log('up'); ${runs}`;
  await using agents = await openTestAgents({
    databaseUrl: databaseProxy.url,
    programs: { 'light-agent': program, 'core-agent': program },
  });
  await agents.open();
  const [killed, other] = [await agents.start('light-agent'), await agents.start('core-agent')];
  for (const { id } of [killed, other]) {
    await expect.poll(() => agents.logs(id)).toMatchObject({ items: [{ line: 'up' }] });
  }
  await databaseProxy.refuseConnections();
  process.kill((await agents.pidOf(killed.id)) ?? 0, 'SIGKILL');
  await expect.poll(() => agents.pidOf(killed.id)).toBeUndefined();
  await databaseProxy.acceptConnections();
  expect(await agents.until(killed.id, 'Stopped')).toMatchObject({
    reason: 'crashed',
    exitCode: 137,
  });
  await agents.stop(other.id);
  expect(await agents.until(other.id, 'Stopped')).toMatchObject({
    reason: 'requested',
    exitCode: 0,
  });
  const third = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(third.id)).toBeDefined();
});

test('a media server that is away delays the start of an agent, and the end of no other', async () => {
  await using server = await startMediaServer();
  await server.kill();
  await using agents = await openTestAgents({
    media: server,
    programs: { 'light-agent': 'process.exitCode = 3;' },
  });
  await agents.open();
  const echo = await agents.start();
  const other = await agents.start('light-agent');
  expect(await agents.until(other.id, 'Stopped')).toMatchObject({ reason: 'crashed' });
  await server.start();
  await agents.until(echo.id, 'Running');
});

test('of several reconcilers one leads; when it is disposed of, the next takes over at once', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs } });
  const first = await agents.open();
  const ids = [(await agents.start('light-agent')).id, (await agents.start('light-agent')).id];
  const pids = async () => await Promise.all(ids.map((id) => agents.pidOf(id)));
  await expect.poll(pids).not.toContain(undefined);
  const before = await pids();
  await agents.open();
  await first[Symbol.asyncDispose]();
  expect(await Promise.all(before.map((pid = 0) => identify(pid)))).toEqual([undefined, undefined]);
  for (const id of ids) expect(await agents.find(id)).toMatchObject({ reason: 'evicted' });
  const { id } = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
});

test('a new leader starts the agents that wait', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': '' } });
  const { database } = agents.api.deps;
  const other = uuidv7();
  await db.claimLease(database, 'background', other);
  await agents.open();
  const { id } = await agents.start('light-agent');
  expect(await agents.pidOf(id)).toBeUndefined();
  await db.releaseLease(database, 'background', other);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'completed' });
});

test('a change without a notification is found by the next round', async () => {
  await using database = await createTestDatabase();
  await using agents = await openTestAgents({
    databaseUrl: database.url,
    programs: { 'light-agent': runs },
    pollMs: 50,
  });
  await agents.open();
  const { id } = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
  await using own = openDatabase(database.url, { connections: 1 });
  await own.sql`update agents set desired = 'stopped'`;
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested' });
});

test('a workload whose agent another process has found lost is ended by the process that runs it', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, pollMs: 50 });
  await agents.open();
  const { id } = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
  const pid = (await agents.pidOf(id)) ?? 0;
  const lost = { status: 'Stopped', reason: 'lost', detail: null, exitCode: null } as const;
  await db.updateAgentState(agents.api.deps.database, id, lost);
  await expect.poll(() => identify(pid)).toBeUndefined();
  expect(await agents.find(id)).toMatchObject({ reason: 'lost' });
});
