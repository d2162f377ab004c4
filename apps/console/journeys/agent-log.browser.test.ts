import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@session/client';
import { startStack } from '@session/testing/browser';
import { browserTest } from '@session/testing/browser-test';
import { expect } from 'vitest';
import { violations } from '../testing/axe.ts';

browserTest('a log goes on after the API was killed, without a line twice', async ({ browser }) => {
  // Of its own: a shared stack would fail the other journeys meanwhile.
  await using stack = await startStack(await mkdtemp(path.join(tmpdir(), 'console-log-')));
  const { apiUrl, consoleUrl } = stack;
  if (!consoleUrl) throw new Error('the stack has no console');
  const account = { email: 'ada@example.org', password: 'correct horse', name: 'Ada Park' };
  const { token } = await createClient({ baseUrl: apiUrl }).auth.signUp(account);
  const client = createClient({ baseUrl: apiUrl, token });
  const project = await client.projects.create({ name: 'Acme Support' });
  const session = await client.sessions.create(project.id, { name: 'Onboarding call' });
  const config = { restart: 'on-failure' } as const;
  const agent = await client.agents.start(session.id, { role: 'echo-agent', config });
  await client.agents.untilRunning(agent.id);

  const localStorage = [{ name: 'session.token', value: token }];
  const origins = [{ origin: consoleUrl, localStorage }];
  await using context = await browser.newContext({
    storageState: { cookies: [], origins },
  });
  const page = await context.newPage();
  await page.goto(`${consoleUrl}/sessions/${session.id}/agents/${agent.id}`);
  const joined = page.getByRole('region', { name: 'Lines of the log' }).getByText(/joined room/);
  await joined.first().waitFor();
  expect(await joined.count()).toBe(1);

  const { api } = await stack.pids();
  if (!api) throw new Error('the stack has no API');
  process.kill(api, 'SIGKILL');
  // The next API starts the agent again, and its log goes on.
  await expect.poll(() => joined.count(), { timeout: 60_000 }).toBe(2);
  await page.getByText('Following').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Restarting' }).waitFor();
  expect(await violations(page)).toEqual([]);
});
