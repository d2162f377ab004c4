import { expect, test } from 'vitest';
import { WebhookWatch } from './webhook-watch.ts';

function openWatch() {
  const warnings: unknown[] = [];
  let now = 0;
  const watch = new WebhookWatch({ warn: (text: unknown) => void warnings.push(text) }, () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { watch, warnings, pass };
}

test('a minute after the first join without any webhook, one warning says what to configure', () => {
  const { watch, warnings, pass } = openWatch();
  watch.sawJoin();
  pass(59_000);
  watch.sawJoin();
  watch.seen(false);
  expect(warnings).toEqual([]);
  pass(1000);
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
