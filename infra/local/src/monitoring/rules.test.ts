import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { promtoolTests } from '../../testing/promtool-tests.ts';
import { CASES, HARMLESS } from '../../testing/rule-cases.ts';
import { run } from '../supervision/tool.ts';
import { type AlertRule, readRules, speedUp } from './rules.ts';

const alerts = (await readRules()).groups.flatMap(({ rules }) => rules);
/** How long a query looks back. */
const WINDOW = /(?<=\[|offset )\w+/g;
const why = await run('promtool', ['--version']).then(
  () => '',
  () => ' (skipped: promtool is not installed, which comes with Prometheus)',
);

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

describe.skipIf(why !== '')(`with the rules’ real times${why}`, () => {
  test('every alert fires for its condition after its time, no other alert does, and none fires for what is harmless', {
    timeout: 300_000,
  }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'rules-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(path.join(folder, 'rules.json'), JSON.stringify(await readRules()));
    await writeFile(path.join(folder, 'test.json'), JSON.stringify(promtoolTests(CASES, HARMLESS)));
    const output = await run('promtool', ['test', 'rules', 'test.json'], { cwd: folder });
    expect(output).toContain('SUCCESS');
  });
});

function windowsOf({ expr }: AlertRule): string[] {
  return Array.from(expr.matchAll(WINDOW), ([window]) => window);
}

function withoutWindows({ expr }: AlertRule): string {
  return expr.replaceAll(WINDOW, '');
}
