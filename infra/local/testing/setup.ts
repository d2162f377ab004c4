import type { TestProject } from 'vitest/node';
import { startTestRun } from './test-run.ts';

/** The global setup of `npm test`. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project);
}
