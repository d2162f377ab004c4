import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { addInterval, addRecorder } from '../../../testing/recorders.ts';
import { endKeptInterval } from './recording-intervals.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

interface Interval {
  readonly isOwn?: true;
  readonly toAt?: string;
  readonly endReason?: string;
}

const died = (second: string): Interval => ({ toAt: at(second), endReason: 'recorder_died' });
const lost = (second: string): Interval => ({ toAt: at(second), endReason: 'connection_lost' });

test.each<[string, Interval, Interval[], string]>([
  ['open', {}, [], '09 recorder_stopped'],
  ['ended by others', died('05'), [], '09 recorder_died'],
  ['ended by others later', died('10'), [], '10 recorder_died'],
  ['ended by itself', lost('05'), [], '05 connection_lost'],
  ['beside that of another dead recorder', died('05'), [died('06')], '09 recorder_died'],
  ['beside one that goes on', died('05'), [{}], '09 recorder_died'],
  ['beside one that ended', died('05'), [lost('04'), lost('07')], '07 recorder_died'],
  ['before a later one', died('05'), [{ isOwn: true }], '05 recorder_died'],
])(
  'an interval in which everything is kept for longer, %s, ends as late as that, but hides no loss',
  async (_, own, others, expected) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    const interval = { sessionId, recorderId: uuidv7(), fromAt: at('01') };
    const id = await addInterval(project, { ...interval, ...own });
    for (const { isOwn, ...other } of others) {
      await addInterval(project, {
        ...interval,
        ...(!isOwn && { recorderId: uuidv7() }),
        ...other,
      });
    }
    const kept = { sessionId, id, keptUntil: at('09'), endReason: 'recorder_stopped' };
    for (const again of [1, 2]) {
      await endKeptInterval(project, kept);
      const rows = await project.sql`
        select to_char(to_at, 'SS') as to, end_reason as reason
        from recording_intervals where id = ${id}`;
      expect([again, ...rows.map(({ to, reason }) => `${to} ${reason}`)]).toEqual([
        again,
        expected,
      ]);
    }
  },
);

test.each([
  [
    'that is left over from an outage shortens no interval in which more was stored since',
    '09',
    'recorder_died',
    '30',
  ],
  ['with an end that was not written yet hides no gap behind it', '09', 'connection_lost', '09'],
  [
    'that was written until the end hides no loss that was not reported yet',
    '29',
    'recorder_died',
    '09',
  ],
])('a note %s', async (_, noted, endReason, expected) => {
  await using project = await createTestProject();
  const { sql } = project;
  const sessionId = await project.newSession();
  const recorderId = await addRecorder(project);
  await sql`
    update recorders set heartbeat_at = ${at('30')}, flushed_at = ${at('30')} where id = ${recorderId}`;
  const id = await addInterval(project, { sessionId, recorderId, fromAt: at('01') });
  const kept = { sessionId, id, keptUntil: at('09'), endReason };
  await endKeptInterval(project, { ...kept, notedAt: at(noted) });
  expect(
    await sql`
    select to_char(to_at, 'SS') as to, end_reason as reason from recording_intervals`,
  ).toEqual([{ to: expected, reason: endReason }]);
});
