import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepRows } from './agent-steps.ts';

const START = Date.parse('2026-11-21T08:00:00.000Z');
const step = (event: string, ms: number, detail: string | null = null) => ({
  event,
  at: new Date(START + ms).toISOString(),
  detail,
});

test('the step of a start that took seconds is slow, and the conversation is no step', () => {
  const rows = stepRows([
    step('requested', 0, 'core-agent'),
    step('scheduled', 200),
    step('started', 6100),
    step('joined', 7400),
    step('first_words', 60_000),
    step('stopped', 2_331_000, 'requested'),
  ]);
  expect(
    rows.map(({ label, sinceMs, tookMs, isSlow }) => [label, sinceMs, tookMs, isSlow]),
  ).toEqual([
    ['Requested', 0, 0, false],
    ['Scheduled', 200, 200, false],
    ['Started', 6100, 5900, true],
    ['Joined', 7400, 1300, false],
    ['First words', 60_000, null, false],
    ['Stopped', 2_331_000, null, false],
  ]);
});

test('an external agent that its owner starts later is not slow', () => {
  const rows = stepRows([
    step('requested', 0, 'external'),
    step('joined', 137_000),
    step('left', 200_000),
    step('joined', 260_000),
  ]);
  expect(rows.map(({ tookMs, isSlow }) => [tookMs, isSlow])).toEqual([
    [0, false],
    [null, false],
    [null, false],
    [null, false],
  ]);
});

test('an unknown step has its name, a crash its reason', () => {
  const rows = stepRows([
    step('requested', 0),
    step('image_pulled', 5),
    step('crashed', 9, 'lost'),
  ]);
  expect(rows.map(({ label, detail }) => [label, detail])).toEqual([
    ['Requested', null],
    ['image_pulled', null],
    ['Crashed', 'lost'],
  ]);
});

test('bars follow each other within the width, whatever the times are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 1e9 }), { maxLength: 12 }), (times) => {
      const rows = stepRows(times.map((ms, index) => step(`step-${index}`, ms)));
      for (const { from, to, tookMs } of rows) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeGreaterThanOrEqual(from);
        expect(to).toBeLessThanOrEqual(1);
        expect(tookMs).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
