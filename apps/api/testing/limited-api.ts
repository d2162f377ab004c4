import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from './api.ts';

/** Starts an API whose `serverMs` is so long that a statement that waits for a lock outlasts the test. */
export async function startLimitedApi(url: string): Promise<TestApi> {
  const timeLimits = { requestMs: 400, statementMs: 300, serverMs: 120_000 };
  return await startTestApi(`${url}?lock_timeout=0`, { timeLimits });
}

/** Returns the different codes of answers. */
export async function codesOf(
  api: TestApi,
  user: TestUser,
  requests: readonly InjectOptions[],
): Promise<unknown[]> {
  const answers = await Promise.all(requests.map((request) => api.inject(user, request)));
  return [...new Set(answers.map((answer) => answer.json().code))];
}

export async function expectWell(api: TestApi, user: TestUser): Promise<void> {
  for (const url of ['/projects', '/health']) {
    await expect.poll(() => api.inject(user, { url })).toMatchObject({ statusCode: 200 });
  }
}
