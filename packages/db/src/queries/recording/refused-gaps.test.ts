import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { listGaps } from './coverage.ts';
import { cutIntervals, endInterval, insertInterval } from './recording-intervals.ts';
import { closeRefusedGap } from './refused-gaps.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('the gap of a refused message is closed once it is stored, and no other gap is', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [id, recorderId] = [uuidv7(), uuidv7()];
  await insertInterval(project, { sessionId, id, recorderId, fromAt: at('01.000') });
  const cut = { sessionId, recorderId };
  for (const second of ['05.000', '05.001']) {
    const to = at(second.replace(/.$/, (digit) => String(Number(digit) + 1)));
    await cutIntervals(project, { ...cut, from: at(second), to, endReason: 'refused' });
  }
  await cutIntervals(project, {
    ...cut,
    from: at('07.000'),
    to: at('08.000'),
    endReason: 'storage_full',
  });
  await endInterval(project, { sessionId, id, toAt: at('09.000'), endReason: 'recorder_stopped' });
  const starts = async () => (await listGaps(project, [sessionId])).map(({ from }) => from);
  expect((await starts()).slice(0, 3)).toEqual([at('05.000'), at('05.001'), at('07.000')]);
  const close = (from: string, to: string) =>
    closeRefusedGap(project, { sessionId, from: at(from), to: at(to) });
  // Runs twice, as a replay that is repeated does.
  for (const _ of [1, 2]) {
    await close('05.000', '05.001');
    await close('05.001', '05.002');
    await close('07.000', '08.000');
    await close('03.000', '04.000');
  }
  expect((await starts())[0]).toBe(at('07.000'));
  const stored = await project.sql`select 1 from recording_intervals`;
  // Four parts of the interval, and two for the two messages.
  expect(stored).toHaveLength(6);
});
