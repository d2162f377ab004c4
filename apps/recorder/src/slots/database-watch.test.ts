import { expect, test } from 'vitest';
import { DatabaseWatch } from './database-watch.ts';

function openWatch(graceMs: number) {
  const logged: string[] = [];
  const note = (...line: unknown[]) => void logged.push(String(line.at(-1)));
  const log = { info: note, warn: note };
  return { watch: new DatabaseWatch(log, graceMs), logged };
}

test('each change is logged once, and a database that never answered is no news', () => {
  const { watch, logged } = openWatch(0);
  const seen = [watch.isOk];
  for (const isOk of [false, false, true, true, false, false, true]) {
    if (isOk) watch.succeeded();
    else watch.failed(new Error('away'));
    seen.push(watch.isOk);
  }
  expect(seen).toEqual([false, false, false, true, true, false, false, true]);
  expect(logged).toEqual([
    'the database answers',
    'the database does not answer',
    'the database answers',
  ]);
});

test('after a failure no recorder is declared dead for the grace time, even when the database is back', () => {
  const { watch } = openWatch(600_000);
  expect(watch.mayDeclareDead).toBe(true);
  watch.succeeded();
  expect(watch.mayDeclareDead).toBe(true);
  watch.failed(new Error('away'));
  watch.succeeded();
  expect(watch.mayDeclareDead).toBe(false);
});

test('without a grace time recorders may be declared dead at once', () => {
  const { watch } = openWatch(0);
  watch.failed(new Error('away'));
  expect(watch.mayDeclareDead).toBe(true);
});
