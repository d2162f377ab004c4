import { expect, test } from 'vitest';
import { type Evidence, judge, sum } from './verdict.ts';

const heard = [said('1', 1000), said('2', 2000), said('3', 30_000)];

const whole: Evidence = {
  said: { Ann: ['word 1', 'word 2'], Bob: ['word 3'] },
  heard,
  accepted: ['1'],
  stored: heard,
  gaps: [],
  toldGaps: [],
};

function said(id: string, heardAt: number) {
  return { id, words: `word ${id}`, saidAt: heardAt - 10, heardAt };
}

test('a whole history has no fault', () => {
  expect(judge(whole)).toEqual({
    heard: 3,
    stored: 3,
    inGaps: 0,
    gaps: 0,
    gapMs: 0,
    faults: [],
  });
});

test('what is missing is excused by a gap around it, to a second, and by nothing else', () => {
  const stored = heard.slice(1);
  const faultsWith = (from: number, to: number) =>
    judge({ ...whole, accepted: [], stored, gaps: [{ from, to }], toldGaps: [{ from, to }] });
  expect(faultsWith(2000, 5000)).toMatchObject({ inGaps: 1, gapMs: 3000, faults: [] });
  expect(faultsWith(2001, 5000).faults).toEqual(['lost: word 1 (1970-01-01T00:00:01.000Z)']);
});

test('what was said without an id is found by its words', () => {
  const unnamed = heard.map((one) => ({ ...one, id: null }));
  expect(judge({ ...whole, heard: unnamed }).faults).toEqual([]);
  const stored = heard.slice(1);
  expect(judge({ ...whole, accepted: [], heard: unnamed, stored }).faults).toHaveLength(1);
});

test('what was heard late may have been missed at any time since it was said', () => {
  const [, ...stored] = heard;
  const late = { ...said('1', 9000), saidAt: 3500 };
  const gap = { from: 2000, to: 2500 };
  const evidence = { ...whole, accepted: [], stored, gaps: [gap], toldGaps: [gap] };
  expect(judge({ ...evidence, heard: [late] }).faults).toEqual([]);
  expect(judge({ ...evidence, heard: [{ ...late, saidAt: 3501 }] }).faults).toHaveLength(1);
});

test.each<[string, Partial<Evidence>, string]>([
  ['an accepted message is never excused', { accepted: ['9'] }, 'accepted and lost: 9'],
  [
    'the same words under two ids',
    { stored: [...heard, { id: '4', words: 'word 2' }] },
    'doubled: word 2',
  ],
  ['words that nobody said', { stored: [...heard, { id: '4', words: 'boo' }] }, 'never said: boo'],
  ['another order', { stored: heard.toReversed() }, 'out of order: word 2'],
  [
    'a gap that the history does not tell',
    { gaps: [{ from: 0, to: 1 }] },
    'gap not told: 1970-01-01T00:00:00.000Z',
  ],
])('%s is a fault', (_, change, fault) => {
  expect(judge({ ...whole, ...change }).faults).toContain(fault);
});

test('order is only what one talker said on one channel', () => {
  const [first, second, third] = heard;
  const stored = [first, third, second].flatMap((one) => one ?? []);
  expect(judge({ ...whole, stored }).faults).toEqual([]);
});

test('verdicts add up', () => {
  const broken = judge({ ...whole, stored: [], accepted: [] });
  expect(sum([judge(whole), broken])).toMatchObject({ heard: 6, stored: 3 });
  expect(sum([judge(whole), broken]).faults).toHaveLength(3);
});
