import { expect, test } from 'vitest';
import { CASES } from '../../testing/rule-cases.ts';
import { type AlertRule, readRules, speedUp } from './rules.ts';

const alerts = (await readRules()).groups.flatMap(({ rules }) => rules);
/** How long a query looks back. */
const WINDOW = /(?<=\[|offset )\w+/g;

test('no window and no delay of a fast rule is too short for its scrapes, and thresholds stay', async () => {
  const fast = speedUp(await readRules(), 1000).groups.flatMap(({ rules }) => rules);
  expect(new Set(fast.flatMap(windowsOf))).toEqual(new Set(['12s']));
  expect(new Set(fast.map((rule) => rule.for))).toEqual(new Set(['0s', '12s']));
  expect(fast.map(withoutWindows)).toEqual(alerts.map(withoutWindows));
});

test('every alert has a case', () => {
  expect(new Set(CASES.map(({ alert }) => alert))).toEqual(
    new Set(alerts.map(({ alert }) => alert)),
  );
});

function windowsOf({ expr }: AlertRule): string[] {
  return Array.from(expr.matchAll(WINDOW), ([window]) => window);
}

function withoutWindows({ expr }: AlertRule): string {
  return expr.replaceAll(WINDOW, '');
}
