import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fillTalk, type SaidLine } from '@session/testing/browser';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { untilShown } from '../testing/layout.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** Where the pictures go: `SCREENSHOTS=docs/images npm test -- --project browser pictures` makes those of the documentation. */
const folder = path.resolve(root, process.env['SCREENSHOTS'] ?? '.cache/browser/pictures');
const MAX_BYTES = 120_000;

const line = (atSeconds: number, name: string, words: string): SaidLine => ({
  atSeconds,
  role: name === 'Ada Park' ? 'user' : 'assistant',
  name,
  words,
});

const LINES = [
  line(
    14,
    'Light agent',
    'Good morning, Ada. Shall we go through what your team needs on day one?',
  ),
  line(31, 'Ada Park', 'Yes. Ravi starts on Thursday, and he has no access to anything yet.'),
  line(
    44,
    'Light agent',
    'Then I suggest three steps:\n\n1. His **account**, today.\n2. An invitation to the project *Acme Support*.\n3. A call with Mina, who knows the templates.',
  ),
  line(78, 'Ada Park', 'Good. Make the invitation a member, not an admin.'),
  line(90, 'Light agent', 'Noted. Ravi’s invitation will be for a member.'),
  line(160, 'Ada Park', 'And when is Mina free?'),
  line(171, 'Light agent', 'On Thursday at ten, for half an hour. Shall I reserve it?'),
  line(186, 'Ada Park', 'Please do.'),
];

/** Keeps pictures of a page in both themes. */
async function keep(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const file = path.join(folder, `${name}-${colorScheme}.png`);
    await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
    expect((await stat(file)).size).toBeLessThan(MAX_BYTES);
  }
}

journey(
  'the pictures of the documentation are small, in both themes',
  async ({ ada, stack, open }) => {
    const visitor = await open(stack.demoUrl);
    await visitor.getByRole('button', { name: 'Try it now' }).waitFor();
    await keep(visitor, 'sign-in');

    const { client } = ada;
    const { id: projectId } = await client.projects.create({ name: 'Acme Support' });
    // The agent's greeting could come before the picture or after it.
    const variables = { LLM_API_KEY: 'rehearsal', GREETING: 'off' };
    await client.envTemplates.create(projectId, { name: 'Rehearsal', variables });
    for (const name of ['Weekly planning', 'Refund 4471']) {
      const { id } = await client.sessions.create(projectId, { name });
      await client.sessions.close(id);
    }
    const { id: sessionId } = await client.sessions.create(projectId, { name: 'Onboarding call' });
    const agent = await client.agents.start(sessionId, { role: 'light-agent' });
    await client.agents.untilRunning(agent.id);
    await fillTalk(stack.databaseUrl, sessionId, { minutes: 4, gapAtSeconds: 120, lines: LINES });

    const page = await open(`/sessions/${sessionId}?panel=agent`, { as: ada });
    await page.setViewportSize({ width: 1280, height: 740 });
    await untilShown(page);
    await page.getByText('Please do.').waitFor();
    await page.getByRole('button', { name: 'Join', exact: true }).waitFor();
    await page.getByText('Light agent is here').waitFor();
    await keep(page, 'session');

    await page.goto(`/sessions/${sessionId}/agents/${agent.id}`);
    await untilShown(page);
    await page.getByText('Joined').first().waitFor();
    await keep(page, 'agent');
  },
);
