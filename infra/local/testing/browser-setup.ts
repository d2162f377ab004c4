import path from 'node:path';
import { startStack } from '@session/testing/browser';
import type { TestStack } from '@session/testing/browser-test';
import type { TestProject } from 'vitest/node';
import { startTestRun, type TestRun } from './test-run.ts';

/** The global setup of the tier `browser`: that of `npm test`, and a whole stack with its console. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project, async (run) => {
    project.provide('stack', await startTestStack(run));
  });
}

async function startTestStack(run: TestRun): Promise<TestStack> {
  const stack = run.stack.use(await startStack(path.join(run.folder, 'stack')));
  const { apiUrl, mediaUrl, databaseUrl, consoleUrl, demoUrl, folder } = stack;
  if (!(consoleUrl && demoUrl)) throw new Error(`The stack has no console:\n${stack.output()}`);
  return { apiUrl, mediaUrl, databaseUrl, consoleUrl, demoUrl, folder };
}
