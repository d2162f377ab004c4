import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { addInterval, addRecorder } from '../../../testing/recorders.ts';
import { listCoverage, listGaps } from './coverage.ts';
import { startRecorder } from './recorders.ts';
import { endDeadIntervals, endInterval, insertInterval } from './recording-intervals.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('from the first connection to the close every moment is coverage or a gap, for many sessions at once', async ({
  project,
}) => {
  const [sessionId, other, unheard] = [
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
  ];
  const record = async (session: string, from: string, to: string, endReason: string) => {
    const id = uuidv7();
    const interval = { sessionId: session, id };
    await insertInterval(project, { ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await insertInterval(project, { ...interval, recorderId: uuidv7(), fromAt: at('00.000') });
    await endInterval(project, { ...interval, toAt: at(to), endReason });
    await endInterval(project, { ...interval, toAt: at('59.000'), endReason: 'again' });
  };
  // A participant was found who had joined before: an interval of no length begins the span.
  await record(sessionId, '01.000', '01.000', 'not_started');
  await record(sessionId, '02.500', '10.000', 'connection_lost');
  await record(sessionId, '05.000', '12.000', 'connection_lost');
  await record(sessionId, '20.000', '30.000', 'session_closed');
  await record(other, '40.000', '39.000', 'connection_lost');
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('30.000')}`;
  const spans = await listCoverage(project, [sessionId, unheard, uuidv7()]);
  expect(spans.map(({ what, from, to, reason }) => [what, from, to, reason])).toEqual([
    ['gap', at('01.000'), at('02.500'), 'not_started'],
    ['coverage', at('02.500'), at('12.000'), null],
    ['gap', at('12.000'), at('20.000'), 'connection_lost'],
    ['coverage', at('20.000'), at('30.000'), null],
  ]);
  expect(new Set(spans.map((span) => span.sessionId))).toEqual(new Set([sessionId]));
  expect(await listCoverage(project, [other])).toEqual([]);
});

test('an open interval lasts until now while its recorder lives, else until the recorder had stored everything', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  await startRecorder(project, { id: recorderId, capacity: 9 });
  const fromAt = at('00.000');
  await insertInterval(project, { sessionId, id: uuidv7(), recorderId, fromAt });
  await project.sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  const [open, ...rest] = await listCoverage(project, [sessionId]);
  expect([open, rest]).toEqual([
    {
      sessionId,
      what: 'coverage',
      from: fromAt,
      to: expect.stringMatching(/\.\d{3}Z$/),
      reason: null,
    },
    [],
  ]);
  await project.sql`update recorders set heartbeat_at = now() - interval '2.01 s', flushed_at = ${at('04.000')}`;
  expect(await listCoverage(project, [sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: at('04.000') },
    { what: 'gap', from: at('04.000'), reason: 'recorder_died' },
  ]);
  await project.sql`update recorders set standby_at = ${at('03.000')}`;
  expect(await listCoverage(project, [sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: at('03.000') },
    { what: 'gap', from: at('03.000'), reason: 'recorder_died' },
  ]);
});

test('two gaps around an interval of no length stay two', async ({ project }) => {
  const sessionId = await project.newSession();
  for (const [from, to] of [
    ['01.000', '02.000'],
    ['05.000', '05.000'],
    ['08.000', '09.000'],
  ] as const) {
    const interval = { sessionId, id: uuidv7() };
    await insertInterval(project, { ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await endInterval(project, { ...interval, toAt: at(to), endReason: 'recorder_died' });
  }
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('09.000')}`;
  const spans = await listCoverage(project, [sessionId]);
  expect(spans.map(({ what, from, to }) => [what, from, to])).toEqual([
    ['coverage', at('01.000'), at('02.000')],
    ['gap', at('02.000'), at('05.000')],
    ['gap', at('05.000'), at('08.000')],
    ['coverage', at('08.000'), at('09.000')],
  ]);
});

test('coverage ends at the session’s close, however long a recorder stayed', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const record = async (from: string, to: string) => {
    const interval = { sessionId, id: uuidv7() };
    await insertInterval(project, { ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await endInterval(project, { ...interval, toAt: at(to), endReason: 'session_closed' });
  };
  await record('01.000', '15.000');
  await record('11.000', '14.000');
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('10.000')}`;
  expect(await listCoverage(project, [sessionId])).toMatchObject([
    { what: 'coverage', from: at('01.000'), to: at('10.000') },
  ]);
});

test('a gap is listed when it is over for good: not while it lasts, nor while a recorder may cover it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const open = async (from: string) => {
    const [recorderId, id] = [uuidv7(), uuidv7()];
    await startRecorder(project, { id: recorderId, capacity: 9 });
    await insertInterval(project, { sessionId, id, recorderId, fromAt: at(from) });
    return { recorderId, sessionId, id };
  };
  const first = await open('01.000');
  await endInterval(project, { ...first, toAt: at('04.000'), endReason: 'connection_lost' });
  expect(await listGaps(project, [sessionId])).toEqual([]);
  const second = await open('02.000');
  const third = await open('08.000');
  expect(await listGaps(project, [sessionId])).toEqual([]);
  expect(await endDeadIntervals(project)).toEqual([]);
  await project.sql`
    update recorders set heartbeat_at = now() - interval '16 s', flushed_at = ${at('07.000')}, standby_at = ${at('06.000')}
    where id = ${second.recorderId}`;
  expect(await listGaps(project, [sessionId])).toEqual([]);
  expect(await endDeadIntervals(project)).toEqual([sessionId]);
  const gap = { sessionId, from: at('06.000'), to: at('08.000'), reason: 'recorder_died' };
  expect(await listGaps(project, [sessionId])).toEqual([gap]);
  await endInterval(project, { ...third, toAt: at('09.000'), endReason: 'recorder_stopped' });
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('10.000')}`;
  const last = { sessionId, from: at('09.000'), to: at('10.000'), reason: 'recorder_stopped' };
  expect(await listGaps(project, [sessionId])).toEqual([gap, last]);
});

test('a gap that was over before the history begins is not listed again, as its message is deleted', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  for (const [from, to] of [
    ['01.000', '02.000'],
    ['04.000', '05.000'],
    ['08.000', '09.000'],
  ] as const) {
    const interval = { sessionId, id: uuidv7() };
    await insertInterval(project, { ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await endInterval(project, { ...interval, toAt: at(to), endReason: 'connection_lost' });
  }
  const ends = async (historyFrom: string) => {
    await project.sql`update sessions set history_from = ${historyFrom} where id = ${sessionId}`;
    return (await listGaps(project, [sessionId])).map(({ to }) => to);
  };
  expect(await ends(at('03.999'))).toEqual([at('04.000'), at('08.000')]);
  expect(await ends(at('04.000'))).toEqual([at('08.000')]);
  expect(await listCoverage(project, [sessionId])).toHaveLength(6);
});

/** The same minute, by the number of the second. */
const second = (number: number) => at(`${String(number).padStart(2, '0')}.000`);

/**
 * Returns the expected state of each second from the first interval to the close: covered when an interval contains it.
 */
function coveredSeconds(intervals: readonly (readonly [number, number])[], closedAt: number) {
  const first = Math.min(...intervals.map(([from]) => from));
  const seconds = Array.from(
    { length: Math.max(closedAt - first, 0) },
    (_, index) => first + index,
  );
  return seconds.map((number) =>
    intervals.some(([from, to]) => from <= number && number + 1 <= to) ? 'coverage' : 'gap',
  );
}

const INTERVAL = fc
  .tuple(fc.integer({ min: 0, max: 29 }), fc.integer({ min: 0, max: 29 }))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

test('however intervals lie, the spans have no hole and no overlap, and are covered where an interval is', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(INTERVAL, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 40 }),
      async (spans, closedAt) => {
        const sessionId = await project.newSession();
        for (const [from, to] of spans) {
          const part = { fromAt: second(from), toAt: second(to) };
          await addInterval(project, { sessionId, recorderId: uuidv7(), ...part });
        }
        await project.sql`
          update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${second(closedAt)}
          where id = ${sessionId}`;
        const found = await listCoverage(project, [sessionId]);
        expect(found.slice(1).map(({ from }) => from)).toEqual(
          found.slice(0, -1).map(({ to }) => to),
        );
        for (const span of found) {
          expect(Date.parse(span.to)).toBeGreaterThan(Date.parse(span.from));
          expect(span.reason === null).toBe(span.what === 'coverage');
        }
        const seconds = found.flatMap(({ what, from, to }) => {
          const { length } = { length: (Date.parse(to) - Date.parse(from)) / 1000 };
          return Array.from({ length }, () => what);
        });
        expect(seconds).toEqual(coveredSeconds(spans, closedAt));
        const gaps = found.filter(({ what }) => what === 'gap');
        const listed = await listGaps(project, [sessionId]);
        expect(listed).toEqual(gaps.map(({ what: _what, ...gap }) => gap));
      },
    ),
    { numRuns: 60 },
  );
});

test('a gap has the reason of the interval that ended where it begins, of several that of the one opened last', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const open = (fromAt: string, toAt: string, endReason: string) =>
    addInterval(project, { sessionId, recorderId: uuidv7(), fromAt, toAt, endReason });
  await open(second(1), second(5), 'connection_lost');
  await open(second(2), second(5), 'recorder_stopped');
  await open(second(8), second(9), 'storage_full');
  await open(second(12), second(13), 'x');
  expect(await listGaps(project, [sessionId])).toMatchObject([
    { from: second(5), to: second(8), reason: 'recorder_stopped' },
    { from: second(9), to: second(12), reason: 'storage_full' },
  ]);
});

test('an ACTIVE session is covered or not until now, and its last gap is not over', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const part = { sessionId, recorderId: uuidv7() };
  await addInterval(project, { ...part, fromAt: second(1), toAt: second(5) });
  const before = Date.now();
  const spans = await listCoverage(project, [sessionId]);
  expect(spans.map(({ what, from }) => [what, from])).toEqual([
    ['coverage', second(1)],
    ['gap', second(5)],
  ]);
  expect(Date.parse(spans[1]?.to ?? '')).toBeGreaterThanOrEqual(before - 5000);
  expect(await listGaps(project, [sessionId])).toEqual([]);
});

test('an open interval without a recorder covers nothing; the gap after it says that the recorder died', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await addInterval(project, { sessionId, recorderId: uuidv7(), fromAt: second(3) });
  const spans = await listCoverage(project, [sessionId]);
  expect(spans).toMatchObject([{ what: 'gap', from: second(3), reason: 'recorder_died' }]);
  // It may still come back with what it has, so the gap is not over for good.
  expect(await listGaps(project, [sessionId])).toEqual([]);
});

test('an interval in the future, of a recorder with a fast clock, has no negative length', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const recorderId = await addRecorder(project);
  await addInterval(project, { sessionId, recorderId, fromAt: '2100-01-01T00:00:00.000Z' });
  expect(await listCoverage(project, [sessionId])).toEqual([]);
  expect(await listGaps(project, [sessionId])).toEqual([]);
});

test('spans of many sessions come in the order of sessions, each in the order of time, and of no other session', async ({
  project,
}) => {
  const ids = await project.newSessions(4);
  for (const sessionId of ids) {
    const part = { sessionId, recorderId: uuidv7() };
    await addInterval(project, { ...part, fromAt: second(1), toAt: second(2) });
    await addInterval(project, { ...part, fromAt: second(4), toAt: second(5) });
  }
  const asked = ids.slice(0, 3).toReversed();
  const gaps = await listGaps(project, [...asked, uuidv7()]);
  expect(gaps.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 3));
  const spans = await listCoverage(project, asked);
  expect(spans.map(({ sessionId }) => sessionId)).toEqual(
    ids.slice(0, 3).flatMap((id) => [id, id, id, id]),
  );
  expect([await listCoverage(project, []), await listGaps(project, [])]).toEqual([[], []]);
});
