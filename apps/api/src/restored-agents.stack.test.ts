import { identify } from '@session/kit';
import { expect, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../testing/agents.ts';
import { startRestorableDatabase } from '../testing/restorable-database.ts';

/**
 * Prints a line now and then, and takes longer to end than the delay of a restart. It ends with this process, so that a test run
 * that is killed leaves no program behind.
 */
const prints = `
  let line = 0;
  process.once('disconnect', () => process.exit());
  process.once('SIGTERM', () => setTimeout(() => process.exit(), 500));
  setInterval(() => console.log('line', line++), 50);`;
const LONG = { timeout: 60_000 };

test('agents run on through a restore to an earlier time: each becomes what its row says, and none is lost for good or left over', async () => {
  await using database = await startRestorableDatabase();
  await using agents = await openTestAgents({
    databaseUrl: database.url,
    programs: { 'light-agent': prints },
    pollMs: 200,
    // These programs never join their rooms.
    limits: { startTimeoutMs: 600_000, restartDelaysMs: [50, 50, 50] },
  });
  await agents.open();
  const restart = { restart: 'on-failure' } as const;
  const begin = async (sessionId?: string) => {
    const { id } = await agents.start('light-agent', sessionId, restart);
    await untilItPrints(agents, id);
    return id;
  };
  const [runs, starts] = [await begin(), await begin()];
  const [dies, ends] = [await begin(), await begin()];
  const session = await agents.api.createSession(agents.ana);
  const pids = {
    runs: await agents.pidOf(runs),
    starts: await agents.pidOf(starts),
    dies: await agents.pidOf(dies),
  };
  await database.keepUntilNow();

  // All of this happens after that time.
  const late = await begin(session);
  const pidOfLate = await agents.pidOf(late);
  process.kill(pids.dies ?? 0, 'SIGKILL');
  await expect.poll(async () => (await agents.find(dies)).restarts, LONG).toBe(1);
  const hasAnother = async () => ((await agents.pidOf(dies)) ?? pids.dies) !== pids.dies;
  await expect.poll(hasAnother, LONG).toBe(true);
  const pidOfNext = await agents.pidOf(dies);
  await agents.stop(ends);
  await agents.until(ends, 'Stopped');

  // The launch of one agent was under way at that time: its program runs, and its row does not show it.
  await database.restore(
    (sql) =>
      sql`update agents set started_at = null, program_started_at = null where id = ${starts}`,
  );
  await expect.poll(async () => (await agents.find(runs)).status, LONG).toBe('Starting');
  // The late agent has no row.
  expect(await agents.find(late)).toMatchObject({ status: 404 });
  await expect.poll(() => identify(pidOfLate ?? 0), LONG).toBeUndefined();
  // `dies` and `ends` should run, so both start again: `ends` has ended since, and `dies` runs as a later workload than its
  // row records.
  await expect.poll(() => identify(pidOfNext ?? 0), LONG).toBeUndefined();
  for (const id of [dies, ends]) {
    const hasNext = async () => identify((await agents.pidOf(id)) ?? 0);
    await expect.poll(hasNext, LONG).toBeDefined();
    await untilItPrintsMore(agents, id);
    expect(await agents.find(id)).toMatchObject({ status: 'Starting', restarts: 1 });
  }
  for (const [id, pid] of [
    [runs, pids.runs],
    [starts, pids.starts],
  ] as const) {
    await untilItPrintsMore(agents, id);
    expect(await agents.pidOf(id)).toBe(pid);
    expect(await agents.find(id)).toMatchObject({ restarts: 0, startedAt: expect.any(String) });
  }
}, 240_000);

async function untilItPrints(agents: TestAgents, id: string): Promise<void> {
  await expect.poll(async () => (await agents.logs(id)).items?.length, LONG).toBeGreaterThan(0);
}

async function untilItPrintsMore(agents: TestAgents, id: string): Promise<void> {
  const last = async () => (await agents.logs(id)).items?.at(-1)?.timestamp ?? '';
  const before = await last();
  await expect.poll(last, LONG).not.toBe(before);
}
