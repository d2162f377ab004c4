import { openDatabase } from '@session/db';
import { identify } from '@session/kit';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { startApi } from '../../../testing/api-process.ts';

test('after kill -9 of the API no agent is left; the next API stores that, or restarts them, and starts the agents that were requested meanwhile', async () => {
  await using database = await createTestDatabase();
  await using agents = await openTestAgents({ databaseUrl: database.url });
  const [first, frozen] = [await agents.start(), await agents.start()];
  const wanted = [
    await agents.start('echo-agent', undefined, { restart: 'on-failure' }),
    await agents.start('echo-agent', undefined, { restart: 'on-failure' }),
  ];
  await using killed = await startApi(database.url, agents.folder);
  await Promise.all([first, frozen, ...wanted].map(({ id }) => agents.until(id, 'Running')));
  // The first line names the echo mode.
  const secondLine = async (id: string) => (await agents.logs(id)).items.slice(1, 2);
  const stored = expect.objectContaining({ line: expect.stringContaining('joined room') });
  for (const { id } of [first, frozen]) {
    await expect.poll(() => secondLine(id)).toEqual([stored]);
  }
  const pids = [(await agents.pidOf(first.id)) ?? 0, (await agents.pidOf(frozen.id)) ?? 0] as const;
  process.kill(pids[1], 'SIGSTOP');
  await killed.end('SIGKILL');
  await expect.poll(() => identify(pids[0])).toBeUndefined();

  const asked = await agents.start();
  // The next API does not wait until the lease of the dead one expires.
  await using client = openDatabase(database.url, { connections: 1 });
  await client.sql`update leases set expires_at = now() + interval '1 h'`;
  await using next = await startApi(database.url, agents.folder);
  expect(await identify(pids[1])).toBeUndefined();
  await agents.until(asked.id, 'Running');
  for (const { id } of wanted) {
    await expect.poll(() => agents.find(id)).toMatchObject({ restarts: 1 });
    expect(await agents.until(id, 'Running')).toMatchObject({ restarts: 1, reason: null });
    expect((await agents.steps(id)).slice(-3)).toEqual(['crashed', 'restarting', 'joined']);
  }
  for (const { id } of [first, frozen]) {
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'lost', exitCode: null });
    // Each line is stored once, however often the agent had to join again.
    const { items } = await agents.logs(id);
    expect(items[1]).toEqual(stored);
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
  }
  await next.end('SIGTERM');
  expect(await agents.find(asked.id)).toMatchObject({ status: 'Stopped', reason: 'evicted' });
});
