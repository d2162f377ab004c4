import { expect } from 'vitest';
import { until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { MACHINE_CLOCKS } from '../process/recorder-clock.ts';

const DAY_MS = 86_400_000;

/** Returns the clocks of a machine whose time of day can be set. */
function openMachine(aheadMs: number) {
  let ahead = aheadMs;
  return {
    clocks: { ...MACHINE_CLOCKS, wallMs: () => MACHINE_CLOCKS.wallMs() + ahead },
    stepTo: (ms: number) => {
      ahead = ms;
    },
  };
}

test.for([DAY_MS, -DAY_MS])(
  'a recorder whose clock is %i ms ahead covers and stores by the database’s clock, and says so everywhere',
  async (aheadMs, { stage }) => {
    const began = Date.now();
    const recorder = await stage.record({ clocks: openMachine(aheadMs).clocks });
    const sessionId = await stage.recordedSession();
    const ana = await stage.join(sessionId);
    const id = await ana.say('hello');
    const history = await stage.historyWith(sessionId, (message) => message.id === id);
    await until(() => recorder.health().clock === 'wrong');
    expect(recorder.health()).toMatchObject({ status: 'ok' });
    // A slow answer of the database measures the clock badly. A faster answer follows.
    const isRight = (offsetMs: number) => Math.abs(offsetMs - aheadMs) < 500;
    await until(() => isRight(recorder.health().clockOffsetMs));
    await until(async () => {
      const [row] = await stage.database.sql<{ offset: string }[]>`
        select clock_offset_ms as offset from recorders`;
      return isRight(Number(row?.offset ?? Number.NaN));
    });
    await recorder.stop(AbortSignal.abort());
    const rows = await stage.database.sql<{ at: string }[]>`
      select unnest(array[from_at, to_at]) as at from recording_intervals
      union all select unnest(array[flushed_at, heartbeat_at]) from recorders`;
    const times = [...rows, ...history].map(({ at }) => Date.parse(at));
    expect(Math.min(...times)).toBeGreaterThan(began - 1000);
    expect(Math.max(...times)).toBeLessThan(Date.now() + 1000);
    const { left } = await until(async () => {
      const gaps = await stage.gaps(sessionId);
      return gaps.left.length > 0 && gaps;
    });
    expect(left).toMatchObject([{ reason: 'recorder_stopped' }]);
  },
);

test.for([DAY_MS, -DAY_MS, 20_000])(
  'the time of day of a recorder steps by %i ms: no gap, and no time of a message steps',
  async (stepMs, { stage }) => {
    const machine = openMachine(0);
    const recorder = await stage.record({ clocks: machine.clocks });
    const sessionId = await stage.recordedSession();
    const ana = await stage.join(sessionId);
    await ana.say('before');
    machine.stepTo(stepMs);
    const id = await ana.say('after');
    const history = await stage.historyWith(sessionId, (message) => message.id === id);
    expect(Math.abs(Date.parse(history.at(-1)?.at ?? '') - Date.now())).toBeLessThan(10_000);
    await until(() => recorder.health().clock === 'wrong');
    machine.stepTo(0);
    await until(() => recorder.health().clock === 'ok');
    const last = await ana.say('last');
    await stage.historyWith(sessionId, (message) => message.id === last);
    expect(await stage.gaps(sessionId)).toEqual({ reported: [], left: [] });
    expect(await stage.countIntervals(sessionId)).toBe(1);
  },
);
