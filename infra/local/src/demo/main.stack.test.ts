import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTestDemo } from '../../testing/demo.ts';
import { makeStackFolder } from '../../testing/stack.ts';
import { removePostgresHome } from '../postgres/home.ts';

test('without a running stack the demo of a plan starts one, completes the plan, and stops it', {
  timeout: 400_000,
}, async () => {
  const folder = await makeStackFolder('demo');
  onTestFinished(() => removePostgresHome(path.join(folder, 'demo/postgres')));
  const { code, lastLine, output } = await runTestDemo(folder, ['--plan']);
  expect(output.split('\n').filter((line) => line.startsWith('✗'))).toEqual([]);
  expect(output).toContain('No stack is running');
  expect(output).toContain('Completed: Booking');
  const counts = expect.stringMatching(
    /^steps 2 · deliverables 2 · stored 5 · missing 0 · states /,
  );
  expect([code, lastLine]).toEqual([0, counts]);
  const leftovers = await readdir(path.join(folder, 'demo'));
  expect(leftovers).not.toContain('stack.json');
  expect(leftovers).not.toContain('processes.json');
});
