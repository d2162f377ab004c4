import { expect, test, vi } from 'vitest';
import { until } from '../../testing/stage.ts';
import { AnnouncedNumbers } from './announced-numbers.ts';

test('the newest number of each sequence is stored once, after an outage of the database too', async () => {
  const stored: unknown[] = [];
  let isAway = true;
  const queries = {
    async announceNumbers(numbers: readonly unknown[]) {
      if (isAway) throw new Error('away');
      stored.push(...numbers);
    },
  };
  const log = { debug: vi.fn<() => void>() };
  using announced = new AnnouncedNumbers({ queries, log, everyMs: 1 });
  announced.note('session', 'ada', { q: 'one', n: 1 });
  await until(() => log.debug.mock.calls.length > 0);
  announced.note('session', 'ada', { q: 'one', n: 2 });
  announced.note('session', 'ben', { q: 'two', n: 1 });
  isAway = false;
  await until(() => stored.length > 1);
  announced.note('session', 'ada', { q: 'one', n: 3 });
  await until(() => stored.length > 2);
  const of = { sessionId: 'session' };
  expect(stored).toEqual([
    { ...of, identity: 'ada', q: 'one', n: 2 },
    { ...of, identity: 'ben', q: 'two', n: 1 },
    { ...of, identity: 'ada', q: 'one', n: 3 },
  ]);
});
