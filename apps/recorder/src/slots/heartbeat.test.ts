import { type HeartbeatAnswer, startRecorder } from '@session/db';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';
import { createLog } from '../process/log.ts';
import { RecorderClock } from '../process/recorder-clock.ts';
import { queriesOn } from '../queries.ts';
import { TIMING } from '../timing.ts';
import { Heartbeat } from './heartbeat.ts';

const STATE = {
  load: 3,
  isDraining: false,
  flushedAt: '2026-11-21T08:00:00.000Z',
  standbyAt: null,
  webhookAt: null,
};

const ANSWER = {
  isReplaced: false,
  webhooksSeen: false,
  otherRecorders: 0,
  hasErasures: false,
  databaseNow: Date.now(),
};

/** Returns a heartbeat to a database in memory, which answers with `answer`. */
function openHeartbeat(answer: () => Promise<HeartbeatAnswer>, heartbeatMs = 1) {
  let beats = 0;
  let wakes = 0;
  let replacements = 0;
  const heartbeat = new Heartbeat({
    recorderId: 'recorder',
    recorderEpoch: 1,
    queries: {
      updateHeartbeat() {
        beats += 1;
        return answer();
      },
      async wakeRecorders() {
        wakes += 1;
      },
    },
    timing: { ...TIMING, heartbeatMs },
    clock: new RecorderClock(createLog('silent')),
    state: async () => STATE,
    answered: () => {},
    replaced: () => {
      replacements += 1;
    },
  });
  return { heartbeat, counts: () => ({ beats, wakes, replacements }) };
}

test('a recorder is alive in the database with its load and its times, until another process replaces it', async () => {
  await using stage = await TestStage.open();
  const id = uuidv7();
  const { recorderEpoch: epoch } = await startRecorder(stage.database, { id, capacity: 9 });
  const isReplaced = Promise.withResolvers<void>();
  const heartbeat = new Heartbeat({
    recorderId: id,
    recorderEpoch: epoch,
    queries: queriesOn(stage.database),
    timing: { ...TIMING, heartbeatMs: 5 },
    clock: new RecorderClock(createLog('silent')),
    state: async () => ({ ...STATE, standbyAt: '2026-11-21T07:59:00.000Z' }),
    answered: () => {},
    replaced: () => isReplaced.resolve(),
  });
  const read = async () => {
    const [row] = await stage.database.sql<
      { load: number; draining: boolean; flushed: string; standby: string }[]
    >`select load, draining, flushed_at as flushed, standby_at as standby from recorders where id = ${id}`;
    return row;
  };
  await until(async () => (await read())?.load === 3);
  const row = await read();
  expect([row?.draining, Date.parse(row?.flushed ?? ''), Date.parse(row?.standby ?? '')]).toEqual([
    false,
    Date.parse('2026-11-21T08:00:00.000Z'),
    Date.parse('2026-11-21T07:59:00.000Z'),
  ]);
  await startRecorder(stage.database, { id, capacity: 9 });
  await isReplaced.promise;
  await heartbeat.end();
});

test('a replaced recorder notices once, and sends no further heartbeat', async () => {
  const { heartbeat, counts } = openHeartbeat(async () => ({ ...ANSWER, isReplaced: true }));
  await until(() => counts().replacements === 1);
  await heartbeat.beat();
  await heartbeat.end();
  expect(counts()).toMatchObject({ beats: 1, replacements: 1 });
});

test('a database that is away stops no heartbeat, and is no replacement', async () => {
  startVirtualTime();
  const { heartbeat, counts } = openHeartbeat(() => Promise.reject(new Error('away')), 500);
  await passTime(1499);
  expect(counts().beats).toBe(3);
  await passTime(1);
  expect(counts().beats).toBe(4);
  await expect(heartbeat.beat()).rejects.toThrow('away');
  await heartbeat.end();
  expect(counts().replacements).toBe(0);
});

test('the last heartbeat is followed by a wake of the other recorders', async () => {
  const { heartbeat, counts } = openHeartbeat(async () => ANSWER, 600_000);
  await until(() => counts().beats === 1);
  await heartbeat.end();
  expect(counts()).toEqual({ beats: 2, wakes: 1, replacements: 0 });
});

test('a silent database does not keep a recorder from ending for longer than a second', async () => {
  startVirtualTime();
  const { heartbeat, counts } = openHeartbeat(() => new Promise(() => {}));
  let hasEnded = false;
  const end = async () => {
    await heartbeat.end();
    hasEnded = true;
  };
  void end();
  await passTime(999);
  expect(hasEnded).toBe(false);
  await passTime(1);
  expect(hasEnded).toBe(true);
  expect(counts()).toEqual({ beats: 1, wakes: 0, replacements: 0 });
});
