import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestProject, type TestProject } from '../../testing/project.ts';
import { addInterval, addRecorder, ageHeartbeat, claimSlot } from '../../testing/recorders.ts';
import type { DatabaseAccess } from '../statement/statement.ts';
import { inTransaction } from '../statement/transaction.ts';
import { readStatistics } from './operations/statistics.ts';
import {
  endAsDead,
  isAlive,
  isDead,
  isLate,
  isReportingAt,
  storedUntil,
} from './recorder-liveness.ts';
import { listHandedOver } from './recording/recorders.ts';
import {
  endDeadIntervals,
  insertInterval,
  isSessionRecorded,
} from './recording/recording-intervals.ts';
import { claimSlots, listSlots, provideSlots } from './recording/slots.ts';
import { closeSession } from './sessions/session-end.ts';
import { findSession, listFinishedSessions } from './sessions/sessions.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

/** Runs `work` in a transaction, in which `now()` stands still, and undoes it. */
async function atOneMoment<Result>(work: (moment: DatabaseAccess) => Promise<Result>) {
  const undo = new Error('undo');
  const results: Result[] = [];
  await inTransaction(project, async (moment) => {
    results.push(await work(moment));
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return results[0];
}

/** Returns the value of an expression about the row `recorder`. */
async function evaluate({ sql }: DatabaseAccess, recorderId: string, expression: string) {
  const [row] = await sql.unsafe<{ value: unknown }[]>(
    `select ${expression} as value from recorders recorder where id = $1`,
    [recorderId],
  );
  return row?.value;
}

test.each([
  [0, { dead: false, late: false }],
  [1999, { dead: false, late: false }],
  [2001, { dead: false, late: true }],
  [14_999, { dead: false, late: true }],
  [15_001, { dead: true, late: true }],
  [86_400_000, { dead: true, late: true }],
  [-60_000, { dead: false, late: false }],
])('a heartbeat %i ms ago: %o', async (ageMs, { dead, late }) => {
  await atOneMoment(async (moment) => {
    const recorderId = await addRecorder(moment);
    await ageHeartbeat(moment, recorderId, ageMs);
    const verdicts = [
      await evaluate(moment, recorderId, isDead('recorder')),
      await evaluate(moment, recorderId, isAlive('recorder')),
      await evaluate(moment, recorderId, isLate('recorder')),
      await evaluate(moment, recorderId, isReportingAt('recorder', 'now()')),
    ];
    expect(verdicts).toEqual([dead, !dead, late, !late]);
  });
});

const earlier = '2026-11-21T08:00:00.000Z';
const later = '2026-11-21T09:00:00.000Z';

test.each([
  ['neither messages for a leader nor words in memory are kept', later, null, null, later],
  ['the oldest kept message is older than the last flush', later, earlier, null, earlier],
  ['the oldest kept message came after the last flush', earlier, later, null, earlier],
  [
    'words of this interval are in memory since before the last flush',
    later,
    null,
    earlier,
    earlier,
  ],
  ['words of this interval came into memory after the last flush', earlier, null, later, earlier],
])(
  'all is stored until the earliest of flush, standby and words in memory: %s',
  async (_, flushedAt, standbyAt, unsureFrom, until) => {
    await atOneMoment(async (moment) => {
      const recorderId = await addRecorder(moment);
      await moment.sql`update recorders set flushed_at = ${flushedAt}, standby_at = ${standbyAt}`;
      const interval = `(select $$${unsureFrom ?? 'infinity'}$$::timestamptz as unsure_from)`;
      const value = `(select ${storedUntil('recorder', 'part')} from ${interval} part)`;
      expect(await evaluate(moment, recorderId, value)).toBe(until);
    });
  },
);

test('an interval that began after the last flush ends where it began, and never before', async () => {
  await atOneMoment(async (moment) => {
    const recorderId = await addRecorder(moment);
    const sessionId = await project.newSession();
    const fromAt = '2026-11-21T10:00:00.000Z';
    await addInterval(moment, { sessionId, recorderId, fromAt });
    await moment.sql`update recorders set flushed_at = ${later} where id = ${recorderId}`;
    const rows = await moment.sql.unsafe(
      `update recording_intervals part set ${endAsDead('part', 'recorder')}
      from recorders recorder where recorder.id = part.recorder_id returning part.from_at, part.to_at, part.end_reason`,
    );
    expect(rows).toEqual([{ from_at: fromAt, to_at: fromAt, end_reason: 'recorder_died' }]);
  });
});

/** A recorder that holds a slot and has an open interval, and another one that is alive. */
async function openSetting() {
  const other = await createTestProject();
  onTestFinished(() => other[Symbol.asyncDispose]());
  const [recorderId, rival] = [await addRecorder(other), await addRecorder(other)];
  const sessionId = await other.newSession();
  await claimSlot(other, recorderId, sessionId);
  await addInterval(other, { sessionId, recorderId, fromAt: '2026-11-21T08:00:00.000Z' });
  return { project: other, recorderId, rival, sessionId };
}

type Setting = Awaited<ReturnType<typeof openSetting>>;

/** The recorder leaves the room with messages that are not stored, and only the rival has an open interval. */
async function leaveRoom(moment: DatabaseAccess, { rival, sessionId }: Setting): Promise<void> {
  await moment.sql`update recorders set flushed_at = '2026-11-21T08:00:00Z' where id <> ${rival}`;
  await moment.sql`update recording_intervals set to_at = '2026-11-21T08:00:09Z', end_reason = 'x'`;
  await moment.sql`
    insert into recording_assignments (session_id, slot, recorder_id) values (${sessionId}, 1, ${rival})`;
  const id = uuidv7();
  const interval = { sessionId, id, recorderId: rival, fromAt: '2026-11-21T08:00:00.000Z' };
  await insertInterval(moment, interval);
  const [slot] = await listSlots(moment, rival, 1, true);
  expect(slot?.intervalId).toBe(id);
}

/**
 * Each statement that judges whether a recorder is dead. Returns whether the statement judged the recorder to be dead.
 */
const VERDICTS: Readonly<
  Record<string, (moment: DatabaseAccess, setting: Setting) => Promise<boolean>>
> = {
  claimSlots: async (moment, { rival }) => {
    const claim = { recorderId: rival, limit: 9, capacity: 9 };
    return (await claimSlots(moment, claim)).length === 1;
  },
  'claimSlots, for itself': async (moment, { project: own, recorderId }) => {
    await own.newSession();
    await moment.sql`update recording_assignments set next_attempt_at = now() - interval '1 min'`;
    const claim = { recorderId, limit: 9, capacity: 9 };
    return (await claimSlots(moment, claim)).length === 0;
  },
  'provideSlots, of surplus slots': async (moment) => {
    await provideSlots(moment, 0, uuidv7());
    return (await moment.sql`select 1 from recording_assignments`).length === 0;
  },
  isSessionRecorded: async (moment, { sessionId }) => !(await isSessionRecorded(moment, sessionId)),
  endDeadIntervals: async (moment) => (await endDeadIntervals(moment)).length === 1,
  listHandedOver: async (moment, { rival, sessionId }) => {
    const sessions = await listHandedOver(moment, rival, [sessionId], true);
    // No other live recorder could take the session.
    return sessions.some(({ since }) => since === null);
  },
  'findSession, of its recording': async (moment, { project: { userId }, sessionId }) => {
    await moment.sql`update recording_assignments set status = 'recording'`;
    const session = await findSession(moment, { id: sessionId, userId });
    return session?.recordingStatus === 'waiting';
  },
  listFinishedSessions: async (moment, { sessionId }) => {
    await closeSession(moment, sessionId, 'user');
    return (await listFinishedSessions(moment, [sessionId])).length === 1;
  },
  readStatistics: async (moment, { project: { userId } }) => {
    const { drift } = await readStatistics(moment, userId);
    return drift.staleRecorders === 1;
  },
  'listSlots, of a leader that has left': async (moment, setting) => {
    await leaveRoom(moment, setting);
    const [slot] = await listSlots(moment, setting.rival, 1, true);
    return slot?.leaderFlushedAt === null;
  },
};

test.each(Object.entries(VERDICTS))(
  'a recorder is dead after 15 s without a heartbeat, and not a millisecond before, for %s',
  async (_, judge) => {
    const setting = await openSetting();
    const verdictAt = async (ageMs: number) => {
      const undo = new Error('undo');
      const verdicts: boolean[] = [];
      await inTransaction(setting.project, async (moment) => {
        await ageHeartbeat(moment, setting.recorderId, ageMs);
        verdicts.push(await judge(moment, setting));
        throw undo;
      }).catch((error: unknown) => {
        if (error !== undo) throw error;
      });
      return verdicts[0];
    };
    expect([await verdictAt(14_999), await verdictAt(15_001)]).toEqual([false, true]);
  },
);

test('a silent recorder that has left a room leads there while nobody may be declared dead', async () => {
  const setting = await openSetting();
  const { project: own, recorderId, rival } = setting;
  await leaveRoom(own, setting);
  await ageHeartbeat(own, recorderId, 60_000);
  const leaders = async (mayDeclareDead: boolean) => {
    const slots = await listSlots(own, rival, 1, mayDeclareDead);
    return slots.map(({ leaderFlushedAt }) => leaderFlushedAt);
  };
  expect(await leaders(false)).toEqual(['2026-11-21T08:00:00.000Z']);
  expect(await leaders(true)).toEqual([null]);
});
