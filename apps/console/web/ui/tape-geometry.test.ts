import { describe, expect, test } from 'vitest';
import { gapAt, lengthOf, segmentsOf, shareOf, timeAt } from './tape-geometry.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
const span = { from: at(0), to: at(100) };
const gap = { from: at(40), to: at(50), reason: 'connection_lost' };

describe('the parts of a tape', () => {
  test('are shares of its length', () => {
    const recording = { coverage: [{ from: at(10), to: at(40) }], gaps: [gap] };
    expect(segmentsOf(recording, span)).toMatchObject([
      { kind: 'recorded', start: 0.1, size: expect.closeTo(0.3) },
      { kind: 'gap', start: 0.4, size: expect.closeTo(0.1), reason: 'connection_lost' },
    ]);
  });

  test('outside of it are cut off', () => {
    const coverage = [
      { from: at(-50), to: at(20) },
      { from: at(200), to: at(300) },
    ];
    expect(segmentsOf({ coverage, gaps: [] }, span)).toMatchObject([{ start: 0, size: 0.2 }]);
  });

  test('are wide enough to be seen, also at the very end', () => {
    const gaps = [{ ...gap, from: new Date(Date.parse(span.to) - 1).toISOString(), to: span.to }];
    const [part] = segmentsOf({ coverage: [], gaps }, span);
    expect(part?.size).toBeGreaterThan(0.005);
    expect((part?.start ?? 0) + (part?.size ?? 0)).toBeCloseTo(1);
  });

  test('do not exist in a tape without a length', () => {
    expect(segmentsOf({ coverage: [span], gaps: [] }, { from: at(0), to: at(0) })).toEqual([]);
  });
});

test('a share and its time are each other’s inverse, and never leave the tape', () => {
  for (const share of [0, 0.25, 0.5, 1]) expect(shareOf(timeAt(share, span), span)).toBe(share);
  expect(timeAt(-1, span)).toBe(span.from);
  expect(timeAt(2, span)).toBe(span.to);
});

test('a gap contains both of its ends', () => {
  expect([at(39), at(40), at(50), at(51)].map((time) => gapAt([gap], time))).toEqual([
    undefined,
    gap,
    gap,
    undefined,
  ]);
});

test('a gap whose clocks disagree has no negative length', () => {
  expect(lengthOf([gap, { from: at(9), to: at(3) }])).toBe(10_000);
});
