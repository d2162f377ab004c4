import path from 'node:path';
import { startStack } from '@session/testing/browser';
import type { TestStack } from '@session/testing/browser-test';
import type { TestProject } from 'vitest/node';
import { firstFreePort } from '../src/supervision/ports.ts';
import { servePages } from './pages-server.ts';
import { startTestRun, type TestRun } from './test-run.ts';

/** The global setup of `npm run test:browser`: that of `npm test`, and a whole stack with a console. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project, async (run) => {
    project.provide('stack', await startTestStack(run));
  });
}

async function startTestStack(run: TestRun): Promise<TestStack> {
  const consolePort = await firstFreePort([], '127.0.0.1');
  const own = `http://127.0.0.1:${consolePort}`;
  const env = { CORS_ORIGINS: own, CONSOLE_PORT: '0' };
  const stack = run.stack.use(await startStack(path.join(run.folder, 'stack'), env));
  const { apiUrl, mediaUrl, folder } = stack;
  if (stack.consoleUrl) return { apiUrl, mediaUrl, folder, consoleUrl: stack.consoleUrl };
  run.stack.use(await servePages(consolePort, { apiUrl, mediaUrl }));
  return { apiUrl, mediaUrl, folder, consoleUrl: own };
}
