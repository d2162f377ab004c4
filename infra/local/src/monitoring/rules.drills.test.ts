import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { promtoolTests } from '../../testing/promtool-tests.ts';
import { CASES, HARMLESS } from '../../testing/rule-cases.ts';
import { run } from '../supervision/tool.ts';
import { readRules } from './rules.ts';

const why = await run('promtool', ['--version']).then(
  () => '',
  () => ' (skipped: promtool is not installed, which comes with Prometheus)',
);

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
