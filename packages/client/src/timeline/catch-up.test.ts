import { expect, test } from 'vitest';
import { CatchUp } from './catch-up.ts';

test('a late answer moves the reader no further back, so that no row comes twice', () => {
  const catchUp = new CatchUp();
  catchUp.first('2026-11-21T08:00:00.000Z');
  const asked = catchUp.ask();
  if (!asked) throw new Error('the first page has come');
  catchUp.latest(asked, { nextSince: '2026-11-21T08:00:09.000Z', hasMore: false });
  catchUp.latest(asked, { nextSince: '2026-11-21T08:00:05.000Z', hasMore: false });
  expect(catchUp.ask()?.since).toBe('2026-11-21T08:00:09.000Z');
});
