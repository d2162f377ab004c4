import { startRecorder } from '@session/db';
import { startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { FAST, TestStage } from '../../testing/stage.ts';
import { queriesOn } from '../queries.ts';
import { DatabaseWatch } from './database-watch.ts';

function openWatch(graceMs: number) {
  const logged: string[] = [];
  const log = logTo((...line) => void logged.push(String(line.at(-1))));
  return { watch: new DatabaseWatch(log, graceMs), logged };
}

test('each change is logged once, and a database that never answered is no news', () => {
  const { watch, logged } = openWatch(0);
  const seen = [watch.isOk];
  for (const isOk of [false, false, true, true, false, false, true]) {
    if (isOk) watch.succeeded();
    else watch.failed(new Error('away'));
    seen.push(watch.isOk);
  }
  expect(seen).toEqual([false, false, false, true, true, false, false, true]);
  const [succeeded, failed] = ['round of slots succeeded', 'round of slots failed, retrying'];
  expect(logged).toEqual([succeeded, failed, succeeded]);
});

test('after a failure no recorder is declared dead for the grace time, even when the database is back', () => {
  startVirtualTime();
  const { watch } = openWatch(3000);
  const mayAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return watch.mayDeclareDead;
  };
  expect([mayAfter(2999), mayAfter(1)]).toEqual([false, true]);
  watch.failed(new Error('away'));
  watch.succeeded();
  expect([mayAfter(2999), mayAfter(1)]).toEqual([false, true]);
});

test('after its start a recorder declares none dead for the grace time: the database may have returned just now', () => {
  const { watch } = openWatch(600_000);
  watch.succeeded();
  expect(watch.mayDeclareDead).toBe(false);
  expect(watch.graceLeftMs).toBeGreaterThan(0);
});

test('without a grace time recorders may be declared dead at once', () => {
  const { watch } = openWatch(0);
  watch.failed(new Error('away'));
  expect(watch.mayDeclareDead).toBe(true);
});

test('a recorder that starts leaves the slots of silent recorders alone, until they had time for a heartbeat', async () => {
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const silent = uuidv7();
  await startRecorder(stage.database, { id: silent, capacity: 9 });
  await stage.database.sql`update recorders set heartbeat_at = now() - interval '16 s'`;
  await stage.database.sql`update recording_assignments set recorder_id = ${silent}`;
  const patient = await stage.record({ timing: { ...FAST, graceMs: 600_000 } });
  await stage.recordedSession();
  expect(patient.health().sessions).toEqual({ recording: 1 });
  expect(await stage.slot(sessionId)).toMatchObject({ recorder_id: silent });
  await stage.record();
  await stage.untilRecording(sessionId);
});

test.each([
  ['no silent recorder as dead during its grace time', 600_000, false],
  ['silent recorders as dead without a grace time', 0, true],
])('the lists of slots and of sessions handed over count %s', async (_, graceMs, may) => {
  await using stage = await TestStage.open();
  const { listSlots } = queriesOn(stage.database);
  const asked = new Set<string>();
  const recorder = await stage.record({
    timing: { ...FAST, graceMs },
    queries: {
      async listSlots(...given) {
        asked.add(`slots ${given[2]}`);
        return await listSlots(...given);
      },
      async listHandedOver(_recorderId, sessionIds, mayDeclareDead) {
        asked.add(`handed over ${mayDeclareDead}`);
        return sessionIds.map((sessionId) => ({ sessionId, since: null }));
      },
    },
  });
  await stage.recordedSession();
  await recorder.stop(new AbortController().signal);
  expect([...asked]).toEqual([`slots ${may}`, `handed over ${may}`]);
});
