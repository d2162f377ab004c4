import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { spyLog } from '../../../testing/spy-log.ts';
import { FollowerLoop } from './follower-loop.ts';

test('a failed look is repeated a second later, though the loop looks only every 10 s otherwise', async () => {
  startVirtualTime();
  const stop = new AbortController();
  let isAway = true;
  let looks = 0;
  const loop = new FollowerLoop({
    async look() {
      if (isAway) throw new Error('away');
      looks += 1;
      return 'wait';
    },
    everyMs: 10_000,
    gapMs: 100,
    stop: stop.signal,
    log: spyLog(),
    failed: 'looking failed, retrying',
  });
  await passTime(1);
  isAway = false;
  await passTime(1100);
  expect(looks).toBe(1);
  await passTime(10_000);
  expect(looks).toBe(1);
  stop.abort();
  await loop.ended;
});
