import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTestDemo } from '../../testing/demo.ts';
import { makeStackFolder } from '../../testing/stack.ts';
import { removePostgresHome } from '../postgres/home.ts';

test('without a running stack the demo starts one, and stops it', {
  timeout: 120_000,
}, async () => {
  const folder = await makeStackFolder('demo');
  onTestFinished(() => removePostgresHome(path.join(folder, 'demo/postgres')));
  const { code, lastLine, output } = await runTestDemo(folder);
  expect(output).toContain('No stack is running');
  expect([code, lastLine]).toEqual([0, 'said 3 · answered 3 · stored 6 · missing 0']);
  const leftovers = await readdir(path.join(folder, 'demo'));
  expect(leftovers).not.toContain('stack.json');
  expect(leftovers).not.toContain('processes.json');
});
