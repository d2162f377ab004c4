import type { Page } from 'playwright-core';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { renameValues } from '../testing/newer-api.ts';

/** Opens each dialog by its button, looks at it, and closes it. */
async function lookAtDialogs(
  page: Page,
  axe: (page: Page) => Promise<void>,
  buttons: readonly string[],
): Promise<void> {
  for (const name of buttons) {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
    await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await page
      .getByRole('dialog')
      .or(page.getByRole('menu'))
      .first()
      .waitFor({ state: 'detached' });
  }
}

journey('a session can be read by everyone in each of its states', async ({ ada, open, axe }) => {
  const { sessionId } = await startSession(ada);
  const page = await open(`/sessions/${sessionId}`, { as: ada });
  await page.getByRole('button', { name: 'Join', exact: true }).waitFor();
  await axe(page);
  await joinRoom(page);
  const menus = ['Close', 'More', 'Start an agent', 'Choose microphone and speaker'];
  await lookAtDialogs(page, axe, menus);
  await page.getByRole('button', { name: 'Onboarding call' }).click();
  await page.getByRole('textbox', { name: 'Name of the session' }).waitFor();
  await axe(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Ada Park' }).click();
  await page.getByRole('menu').waitFor();
  await axe(page);
  await page.keyboard.press('Escape');
  await ada.client.sessions.close(sessionId);
  await page.getByText(/^Closed at/).waitFor();
  await page.getByRole('button', { name: /Finishing the recording|Recording ended/ }).waitFor();
});

journey.for(['waiting', 'reconnecting', 'lost'] as const)(
  'a recording that is %s has a lamp and a sentence that everyone can read',
  async (status, { ada, stack, open }) => {
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}?panel=recording`, {
      as: ada,
      before: async (opened) =>
        await renameValues(opened, stack.apiUrl, { recording: status, waiting: status }),
    });
    const words = {
      waiting: 'Not recording yet',
      reconnecting: 'Recorder reconnecting',
      lost: 'Not recorded',
    };
    await page.getByRole('button', { name: words[status], exact: true }).waitFor();
    await page
      .getByText(/may be missing from the history|Words said now are not recorded/)
      .waitFor();
  },
);

journey(
  'loading, a failure and an empty list can be read by everyone',
  async ({ ada, open, axe, expectFault }) => {
    expectFault(/status of 500/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    let answer: 'none' | 'failure' | 'real' = 'none';
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(/\/projects\/[^/]+\/sessions\?/, async (route) => {
          if (route.request().method() === 'OPTIONS') return await route.continue();
          // A request without an answer is ended by the reload.
          if (answer === 'none') return undefined;
          if (answer === 'real') return await route.continue();
          const response = await route.fetch();
          return await route.fulfill({ response, status: 500, body: '{}' });
        }),
    });
    await page.locator('main [aria-busy="true"]').waitFor();
    await axe(page);
    answer = 'failure';
    await page.reload();
    await page.getByRole('main').getByText('Internal Server Error').first().waitFor();
    await axe(page);
    answer = 'real';
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('button', { name: 'Start talking' }).waitFor();
    await axe(page);
    await ada.client.sessions.create(id, { name: 'Refund 4471' });
    await page.getByRole('main').getByText('Refund 4471').waitFor();
    await lookAtDialogs(page, axe, [
      'New session',
      'More about Refund 4471',
      'More about Acme Support',
    ]);
    await page.getByText('Closed', { exact: true }).first().click();
    await page.getByText('No session is closed.').waitFor();
  },
);

journey(
  'templates and members can be read by everyone while they are changed',
  async ({ ada, open, axe }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const variables = { LLM_API_KEY: 'rehearsal' };
    await ada.client.envTemplates.create(id, { name: 'Rehearsal', variables });
    const page = await open(`/projects/${id}/templates`, { as: ada });
    await lookAtDialogs(page, axe, ['Delete Rehearsal']);
    await page.getByRole('button', { name: 'Edit Rehearsal' }).click();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByRole('combobox', { name: 'Name of the variable' }).last().fill('NODE_OPTIONS');
    await page.getByText(/^This name is reserved/).waitFor();
    await axe(page);
    await lookAtDialogs(page, axe, ['Paste a .env file', 'Templates']);
    await page.getByRole('button', { name: 'Templates', exact: true }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('button', { name: 'New plan' }).click();
    await page.getByRole('button', { name: 'Add a step' }).click();
    await axe(page);
    await page.goto(`/projects/${id}/members`);
    await lookAtDialogs(page, axe, ['Add a member']);
  },
);

journey(
  'a browser that keeps no data for the console gets a page that says so',
  async ({ open }) => {
    const page = await open('/sign-in', {
      before: async (opened) =>
        await opened.addInitScript(() => {
          Object.defineProperty(window, 'localStorage', {
            get: () => {
              throw new DOMException('Access is denied for this document.', 'SecurityError');
            },
          });
        }),
    });
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
);
