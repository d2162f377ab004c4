import { fillSessions } from '@session/testing/browser';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

/** Six pages of 50. More pages would show nothing new, because the twentieth takes no longer than the sixth. */
const SESSIONS = 300;
const PAGES = 6;

journey(
  '300 sessions are read as the reader scrolls, one request a page',
  async ({ ada, stack, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    await fillSessions(stack.databaseUrl, id, ada.id, SESSIONS);
    const asked: string[] = [];
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) => {
        opened.on('request', (request) => {
          if (request.method() === 'GET' && request.url().includes('/sessions?')) {
            asked.push(request.url());
          }
        });
      },
    });
    // Not by role, because Playwright computes the role of each element, which takes long for so many rows.
    const rows = page.locator('ul[aria-label="Sessions"] > li');
    await rows.first().waitFor();
    while ((await rows.count()) < SESSIONS) {
      const count = await rows.count();
      await rows.last().evaluate((row) => row.scrollIntoView());
      await expect.poll(async () => await rows.count()).toBeGreaterThan(count);
    }
    expect(await rows.count()).toBe(SESSIONS);
    const older = asked.filter((url) => url.includes('cursor='));
    expect(older).toHaveLength(PAGES - 1);
    expect(new Set(older).size).toBe(PAGES - 1);
    // axe takes long for so many rows. It checks shorter lists in other tests.
    await page.close();
  },
);

journey('a name of 100 characters ends where its column does', async ({ ada, open }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  const name = `Extension-of-the-framework-agreement-${'0'.repeat(63)}`;
  await ada.client.sessions.create(id, { name });
  for (const width of [1280, 390]) {
    const page = await open(`/projects/${id}`, { as: ada, width });
    const link = page.getByRole('heading').getByRole('link', { name });
    const isCut = await link.evaluate((shown) => shown.scrollWidth > shown.clientWidth);
    expect({ width, isCut }).toEqual({ width, isCut: true });
  }
});

journey(
  'a session that another person creates, says something in and closes is shown so',
  async ({ ada, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}`, { as: ada, width: 320 });
    await page.getByRole('button', { name: 'Start talking' }).waitFor();
    const session = await ada.client.sessions.create(id, { name: 'Refund 4471' });
    const row = page.getByRole('listitem').filter({ hasText: 'Refund 4471' });
    await row.getByText('Nothing said yet').waitFor();
    const content = '<b>My parcel</b> arrived broken.';
    await ada.client.messages.say(session.id, { content });
    await row.getByText(content).waitFor();
    await ada.client.sessions.close(session.id);
    await row.getByText('closed', { exact: true }).waitFor();
    await page.getByText('Open', { exact: true }).first().click();
    await page.getByText('No session is open.').waitFor();
  },
);

journey(
  'Ctrl-K finds a session by its name, and the question mark lists the keys',
  async ({ ada, open, axe }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const session = await ada.client.sessions.create(id, { name: 'Refund 4471' });
    const page = await open(`/projects/${id}`, { as: ada });
    await page.getByRole('main').getByText('Refund 4471').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await axe(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to anything' }).fill('refund');
    await page.getByRole('option', { name: 'Refund 4471' }).waitFor();
    await axe(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sessions/${session.id}`);
  },
);

journey(
  'a new session that was cancelled while its request hung leads nowhere, and is in the list',
  async ({ ada, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const created = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const page = await open(`/projects/${id}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(/\/projects\/[^/]+\/sessions$/, async (route) => {
          const response = await route.fetch();
          created.resolve();
          await cancelled.promise;
          return await route.fulfill({ response });
        }),
    });
    await page.getByRole('main').getByRole('button', { name: 'New session' }).click();
    const dialog = page.getByRole('dialog', { name: 'New session' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await created.promise;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    cancelled.resolve();
    const list = page.getByRole('list', { name: 'Sessions' });
    await list.getByRole('link', { name: 'New conversation' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/projects/${id}`);
  },
);
