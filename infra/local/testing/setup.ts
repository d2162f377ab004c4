import type { TestProject } from 'vitest/node';
import { startTestRun } from './test-run.ts';

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project);
}
