import { prepareRecordingIntervalQueries, prepareSlotQueries } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { TestStage } from '../../testing/test-stage.ts';
import { SlotReport } from './slot-report.ts';

test.each(['before', 'after'])(
  'no time counts as covered that was not, although the database goes away %s the first write',
  async (moment) => {
    await using stage = await TestStage.open();
    const sessionId = await stage.createSession();
    const intervals = prepareRecordingIntervalQueries(stage.database);
    const recorderId = uuidv7();
    let hasFailed = false;
    /** Does `work`, and fails once: before or after the first call. */
    const fallible = async (work: () => Promise<void>) => {
      if (hasFailed || moment === 'after') await work();
      if (hasFailed) return;
      hasFailed = true;
      throw new Error('away');
    };
    const report = new SlotReport(
      {
        ...prepareSlotQueries(stage.database),
        ...intervals,
        insertUnheard: (unheard) => fallible(() => intervals.insertUnheard(unheard)),
        insertInterval: (interval) => fallible(() => intervals.insertInterval(interval)),
        closeInterval: (end) => fallible(() => intervals.closeInterval(end)),
      },
      { sessionId, slot: 0, recorderId, epoch: 1 },
    );
    report.markUncovered(Date.now() - 60_000, Date.now());
    await expect(report.write()).rejects.toThrow('away');
    await report.write();
    const rows = await stage.database.sql`
      select to_at = from_at as "isEmpty" from recording_intervals where session_id = ${sessionId}`;
    expect(rows).toEqual([{ isEmpty: true }]);
  },
);
