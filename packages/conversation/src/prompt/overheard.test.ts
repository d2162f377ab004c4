import { expect, test } from 'vitest';
import { Overheard } from './overheard.ts';

test('of what was overheard the newest is kept that fits, at least one entry, and each is taken once', () => {
  const overheard = new Overheard(() => 1000);
  for (let index = 0; index < 2000; index += 1) {
    overheard.add({ kind: 'user', text: `${1000 + index} ${'x'.repeat(63)}` });
  }
  const newest = overheard.takeAll();
  expect(newest).toHaveLength(10);
  expect(newest.at(-1)).toMatchObject({ text: expect.stringContaining('2999 ') });
  overheard.add({ kind: 'note', text: 'x'.repeat(2000) });
  expect(overheard.takeAll()).toHaveLength(1);
  expect(overheard.takeAll()).toEqual([]);
});
