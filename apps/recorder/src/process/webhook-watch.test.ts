import { startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test, vi } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { WebhookWatch } from './webhook-watch.ts';

beforeEach(() => startVirtualTime());

function openWatch() {
  const warnings: unknown[] = [];
  const watch = new WebhookWatch(logTo((text) => void warnings.push(text)));
  return { watch, warnings, pass: (ms: number) => void vi.advanceTimersByTime(ms) };
}

test('a minute after the first join without any webhook, one warning says what to configure', () => {
  const { watch, warnings, pass } = openWatch();
  watch.sawJoin();
  pass(59_999);
  watch.sawJoin();
  watch.seen(false);
  expect(warnings).toEqual([]);
  pass(1);
  for (let count = 0; count < 3; count += 1) watch.seen(false);
  expect(warnings).toEqual([expect.stringContaining('/webhooks/media')]);
});

test('no warning while nobody joins, and none once any recorder has received a webhook', () => {
  const { watch, warnings, pass } = openWatch();
  pass(600_000);
  watch.seen(false);
  watch.sawJoin();
  watch.seen(true);
  pass(600_000);
  watch.seen(false);
  expect(warnings).toEqual([]);
});
