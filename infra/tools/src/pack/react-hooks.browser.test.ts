import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from '@session/testing/browser-test';
import { expect, onTestFinished } from 'vitest';
import type { EmptyProject } from '../../testing/empty-project.ts';
import {
  bundle,
  newProject,
  serveBundle,
  quickstartTest as test,
} from '../../testing/quickstart-test.ts';

interface Talk {
  readonly project: EmptyProject;
  readonly browser: Browser;
  readonly stack: { readonly apiUrl: string; readonly consoleUrl: string };
  readonly token: string;
  readonly sessionId: string;
}

const MAIN = `import { createClient } from '@session/client';
import { useConversation } from '@session/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Progress } from './progress.tsx';
import { Voice } from './voice.tsx';

const [baseUrl, token, sessionId] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const client = createClient({ baseUrl, token });
function Talk() {
  const conversation = useConversation(client, sessionId);
  return <>
    <Voice {...{ client, sessionId }} />
    <Progress {...{ client, sessionId, conversation }} />
  </>;
}
createRoot(document.body).render(<StrictMode><Talk /></StrictMode>);
`;

/** Opens a page with the components of the documentation. */
async function open({ project, browser, stack, token, sessionId }: Talk): Promise<Page> {
  await writeFile(path.join(project.folder, 'talk.tsx'), MAIN);
  const code = await bundle(project.folder, 'talk.tsx');
  const permissions = ['local-network-access', 'microphone'];
  const context = await browser.newContext({ permissions });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const address = `${stack.consoleUrl}/quickstart/`;
  await serveBundle(page, address, code);
  const start = JSON.stringify([stack.apiUrl, token, sessionId]);
  await page.goto(`${address}#${encodeURIComponent(start)}`);
  await expect.poll(() => page.getByRole('status').textContent()).toBe('live');
  return page;
}

test('voice in React: a person speaks, sees who does, and hears the answer of an agent', async ({
  project,
  stack,
  browser,
}) => {
  const { id, token, post } = await newProject(stack.apiUrl);
  const { id: sessionId = '' } = await post(`/projects/${id}/sessions`, { name: 'Voice' });
  const config = { echoMode: 'audio' };
  await post(`/sessions/${sessionId}/agents`, { role: 'echo-agent', config });
  const page = await open({ project, browser, stack, token, sessionId });
  const speaking = (kind: string) => page.locator(`li[data-kind=${kind}][data-speaking=true]`);
  await page.locator('li[data-kind=agent]').waitFor();
  // What is said before the agent has subscribed to the track does not reach it.
  const isAnswered = async () => {
    await page.getByRole('button', { name: 'Speak' }).click();
    await speaking('user').waitFor();
    await page.getByRole('button', { name: 'Mute' }).click();
    return await speaking('agent')
      .waitFor({ timeout: 10_000 })
      .then(
        () => true,
        () => false,
      );
  };
  await expect.poll(isAnswered).toBe(true);
});

test('progress in React: an agent starts, and its plan is shown as the agent goes on', async ({
  project,
  stack,
  browser,
}) => {
  const { id, token, post } = await newProject(stack.apiUrl);
  const variables = { LLM_API_KEY: 'rehearsal' };
  await post(`/projects/${id}/env-templates`, { name: 'Model', variables });
  const steps = ['day', 'place'].map((step) => ({
    id: step,
    title: `Step ${step}`,
    instructions: 'Ask for it.',
    deliverable: `The ${step}`,
  }));
  const { id: planId } = await post(`/projects/${id}/plan-templates`, { name: 'Booking', steps });
  const { id: sessionId = '' } = await post(`/projects/${id}/sessions`, { name: 'Booking' });
  const page = await open({ project, browser, stack, token, sessionId });
  const progress = page.getByRole('region', { name: 'Progress' });
  expect(await progress.getByText('light-agent').count()).toBe(0);
  await post(`/sessions/${sessionId}/agents`, { role: 'light-agent', planId });
  await progress.getByText('light-agent: Running').waitFor();
  const states = () =>
    progress.locator('li').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-state')));
  await expect.poll(states).toEqual(['active', 'pending']);
  await post(`/sessions/${sessionId}/messages`, { content: 'Tuesday' });
  await expect.poll(states).toEqual(['done', 'active']);
  expect(await progress.locator('dd').allTextContents()).toEqual(['Tuesday']);
  // A page that comes later begins with the stored state.
  await page.reload();
  await expect.poll(states).toEqual(['done', 'active']);
});
