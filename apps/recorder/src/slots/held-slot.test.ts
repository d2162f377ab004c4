import type { ListedSlotRow, SlotKey } from '@session/db';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { describe, expect, test } from 'vitest';
import { until } from '../../testing/stage.ts';
import { createLog } from '../process/log.ts';
import type { Ending } from '../session/ending.ts';
import { HeldSlot, standbyAtOf } from './held-slot.ts';
import type { SlotEnd } from './slot-state.ts';

const KEY: SlotKey = { sessionId: 'session', slotNumber: 0, recorderId: 'recorder', epoch: 1 };
const ENDING: Ending = {
  reason: 'recorder_stopped',
  quietMs: 0,
  maxWaitMs: 0,
  cutShort: AbortSignal.abort(),
};
const ROW: ListedSlotRow = {
  sessionId: 'session',
  slotNumber: 0,
  epoch: 1,
  sessionStatus: 'ACTIVE',
  intervalId: null,
  leaderFlushedAt: null,
  leaderStandbyAt: null,
};
const away = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

type SlotDeps = ConstructorParameters<typeof HeldSlot>[0];

interface Held {
  readonly recording?: Partial<SlotDeps['recording']>;
  readonly report?: Partial<SlotDeps['report']>;
}

/** Returns a slot, lists everything that it does, in order, and has faults for a test to set. */
function holdSlot({ recording = {}, report = {} }: Held = {}) {
  const done: string[] = [];
  const recordingEnd = Promise.withResolvers<void>();
  const faults: { write?: Error; settle?: Error } = {};
  let key = KEY;
  let hasIntervals = false;
  const slot = new HeldSlot({
    recording: {
      state: 'recording',
      attempts: 2,
      failure: 'a fault',
      isCatchingUp: false,
      isEmpty: false,
      oldestKeptAt: Infinity,
      receivedUntil: Infinity,
      undecidedSince: Infinity,
      ...recording,
      follow: async () => void done.push('follow'),
      cut: () => {},
      reportState: () => done.push('report state'),
      async end() {
        done.push('end');
        await recordingEnd.promise;
      },
    },
    report: {
      beganAt: undefined,
      coveredSince: undefined,
      hasUnwritten: false,
      intervalId: undefined,
      isIntervalWritten: false,
      uncutSince: Infinity,
      unwrittenEnds: [],
      ...report,
      get key() {
        return key;
      },
      renew(slotEpoch) {
        key = { ...key, epoch: slotEpoch };
      },
      async write() {
        done.push('write');
        if (faults.write) throw faults.write;
        return hasIntervals;
      },
    },
    queries: {
      async giveUpSlot({ epoch }, attempts, failure) {
        done.push(`give up epoch ${epoch} after ${attempts}: ${failure}`);
        if (faults.settle) throw faults.settle;
        return true;
      },
      async releaseSlot({ epoch }) {
        done.push(`release epoch ${epoch}`);
        if (faults.settle) throw faults.settle;
        return true;
      },
    },
    log: createLog('silent'),
    changed: () => done.push('changed'),
  });
  return {
    slot,
    done,
    faults,
    recordingEnd,
    changeIntervals: () => {
      hasIntervals = true;
    },
  };
}

/** Ends the slot, and waits until its recording has ended. */
async function endSlot({ slot, recordingEnd }: ReturnType<typeof holdSlot>, end: SlotEnd) {
  slot.end(end, ENDING);
  recordingEnd.resolve();
  await slot.ended();
}

test.each<[SlotEnd, string[]]>([
  ['lost', ['write', 'give up epoch 1 after 2: a fault']],
  ['closed', ['write']],
  ['claimed_by_other', ['write']],
  ['replaced', []],
  ['released', ['write', 'release epoch 1']],
])(
  'the slot of a recording that ended because it was %s is settled once',
  async (end, expected) => {
    const held = holdSlot();
    await endSlot(held, end);
    held.done.splice(0);
    expect(await held.slot.write()).toEqual({ isSettled: true, intervalsChanged: false });
    expect([held.slot.state, held.done]).toEqual(['settled', expected]);
  },
);

test('held: what changed is written, and changed intervals are reported', async () => {
  const { slot, done, changeIntervals } = holdSlot();
  expect(await slot.write()).toEqual({ isSettled: false, intervalsChanged: false });
  changeIntervals();
  expect(await slot.write()).toEqual({ isSettled: false, intervalsChanged: true });
  expect([slot.state, done]).toEqual(['held', ['write', 'write']]);
});

test('ending: the slot is written and not settled, and another reason changes nothing', async () => {
  const held = holdSlot();
  held.slot.end('closed', ENDING);
  held.slot.end('released', ENDING);
  expect(await held.slot.write()).toEqual({ isSettled: false, intervalsChanged: false });
  expect([held.slot.state, held.done]).toEqual(['ending', ['end', 'write']]);
  held.recordingEnd.resolve();
  await held.slot.ended();
  expect([held.slot.state, held.done.at(-1)]).toEqual(['ended', 'changed']);
  await held.slot.write();
  expect(held.done).not.toContain('release epoch 1');
});

test('a recording that fails to end is over all the same, and its slot is settled', async () => {
  const held = holdSlot();
  held.slot.end('released', ENDING);
  held.recordingEnd.reject(new Error('a fault'));
  await held.slot.ended();
  expect(await held.slot.write()).toMatchObject({ isSettled: true });
});

test.each<'write' | 'settle'>(['write', 'settle'])(
  'ended: while the database is away at the %s, the slot stays unsettled and is written again',
  async (step) => {
    const held = holdSlot();
    await endSlot(held, 'released');
    held.faults[step] = away();
    await expect(held.slot.write()).rejects.toThrow('away');
    expect(held.slot.state).toBe('ended');
    delete held.faults[step];
    expect(await held.slot.write()).toMatchObject({ isSettled: true });
    expect(held.done.at(-1)).toBe('release epoch 1');
  },
);

test.each<'write' | 'settle'>(['write', 'settle'])(
  'ended: a slot that is locked at the %s is left alone for a while, and then settled',
  async (step) => {
    const held = holdSlot();
    await endSlot(held, 'released');
    held.faults[step] = Object.assign(new Error('locked'), { code: '55P03' });
    const unsettled = { isSettled: false, intervalsChanged: false };
    expect(await held.slot.write()).toEqual(unsettled);
    const doneBefore = held.done.length;
    expect(await held.slot.write()).toEqual(unsettled);
    expect(held.done).toHaveLength(doneBefore);
    delete held.faults[step];
    await until(async () => (await held.slot.write()).isSettled);
    expect(held.done.at(-1)).toBe('release epoch 1');
  },
);

test('ended: a slot that is not written for an unknown reason loses nothing, and is written again after a pause', async () => {
  startVirtualTime();
  const held = holdSlot();
  await endSlot(held, 'released');
  held.faults.write = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  expect(await held.slot.write()).toEqual({ isSettled: false, intervalsChanged: false });
  expect(held.slot.state).toBe('ended');
  delete held.faults.write;
  await passTime(1000);
  expect(await held.slot.write()).toMatchObject({ isSettled: true });
  expect(held.done.slice(-2)).toEqual(['write', 'release epoch 1']);
});

test('a value that cannot be stored concerns one slot alone, and does not keep an ended slot', async () => {
  const held = holdSlot();
  held.faults.write = Object.assign(new Error('a fault'), { code: '22008' });
  expect(await held.slot.write()).toEqual({ isSettled: false, intervalsChanged: false });
  await endSlot(held, 'released');
  expect(await held.slot.write()).toEqual({ isSettled: true, intervalsChanged: false });
});

test('a slot that is held under a new epoch reports its state again, and is settled under it', async () => {
  const held = holdSlot();
  await held.slot.follow(ROW);
  await held.slot.follow({ ...ROW, epoch: 2 });
  await held.slot.follow({ ...ROW, epoch: 2 });
  expect(held.done).toEqual(['follow', 'report state', 'follow', 'follow']);
  await endSlot(held, 'released');
  await held.slot.write();
  expect(held.done.at(-1)).toBe('release epoch 2');
});

/** Returns the id, time and reason of each interval that is kept at 1000. */
function keptBy(held: Held, inMemorySince = Infinity) {
  const { slot } = holdSlot(held);
  const kept = slot.keptIntervals(1000, inMemorySince);
  expect(kept.every(({ notedAt }) => notedAt === '1970-01-01T00:00:01.000Z')).toBe(true);
  return kept.map(({ id, keptUntil, endReason }) => [id, Date.parse(keptUntil), endReason]);
}

const ENDED = { id: 'ended', beganAt: 10, to: 50, endReason: 'connection_lost' };

describe('in an outage, what is kept', () => {
  const open = { intervalId: 'open', beganAt: 100 };

  test.each([
    ['until now', {}, Infinity, 1000],
    ['until it left the room', { receivedUntil: 700 }, Infinity, 700],
    ['until what is undecided', { undecidedSince: 600 }, Infinity, 600],
    ['until what it keeps for another', { oldestKeptAt: 500 }, Infinity, 500],
    ['until what is in memory alone', { receivedUntil: 700 }, 400, 400],
  ])('%s', (_, recording, inMemorySince, keptUntil) => {
    expect(keptBy({ recording, report: open }, inMemorySince)).toEqual([
      ['open', keptUntil, 'recorder_died'],
    ]);
  });

  test('until the first cut that is not written', () => {
    const report = { ...open, uncutSince: 30, unwrittenEnds: [ENDED] };
    expect(keptBy({ report })).toEqual([
      ['ended', 30, 'connection_lost'],
      ['open', 30, 'recorder_died'],
    ]);
  });

  test('until its end, of an interval whose end is not written, or until what was undecided before', () => {
    const report = { unwrittenEnds: [ENDED] };
    expect(keptBy({ report })).toEqual([['ended', 50, 'connection_lost']]);
    const recording = { undecidedSince: 40 };
    expect(keptBy({ report, recording })).toEqual([['ended', 40, 'connection_lost']]);
  });
});

test.each<[string, Held['report'], number | null]>([
  ['is open', { beganAt: 100 }, 500],
  [
    'began later, as after a split, although the database lacks that',
    { beganAt: 900, hasUnwritten: true },
    900,
  ],
  ['was cut later', { beganAt: 100, coveredSince: 900 }, 500],
  ['has ended, which the database lacks', { unwrittenEnds: [ENDED] }, 500],
  [
    'began again, and the database lacks the end before',
    { beganAt: 900, unwrittenEnds: [ENDED] },
    500,
  ],
  ['has ended, as in a room that is split', {}, null],
])('what a session keeps holds back the recorder while its interval %s', (_, report = {}, at) => {
  const { slot } = holdSlot({ recording: { oldestKeptAt: 500 }, report });
  const { slot: other } = holdSlot({ report: { beganAt: 100 } });
  expect(standbyAtOf([slot, other])).toBe(at && new Date(at).toISOString());
});
