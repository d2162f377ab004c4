import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

const SESSIONS = 120;
const PAGES = 3;

journey('a long list is read as the reader scrolls, one request a page', async ({ ada, open }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  for (let n = 1; n <= SESSIONS; n += 10) {
    const batch = Array.from({ length: 10 }, (_, index) => `Session ${n + index}`);
    const made = await Promise.all(
      batch.map(async (name) => await ada.client.sessions.create(id, { name })),
    );
    await Promise.all(made.map(async (session) => await ada.client.sessions.close(session.id)));
  }
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
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await rows.first().waitFor();
  while ((await rows.count()) < SESSIONS) {
    const count = await rows.count();
    await rows.last().scrollIntoViewIfNeeded();
    await expect.poll(async () => await rows.count()).toBeGreaterThan(count);
  }
  expect(await rows.count()).toBe(SESSIONS);
  const older = asked.filter((url) => url.includes('cursor='));
  expect(older).toHaveLength(PAGES - 1);
  expect(new Set(older).size).toBe(PAGES - 1);
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
