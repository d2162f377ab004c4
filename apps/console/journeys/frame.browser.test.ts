import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { untilShown } from '../testing/layout.ts';

const LONG_NAME = 'A project with a name that does not fit into a narrow window any more';

/** Returns by how many pixels the content is wider than its window. The content hides this part, or scrolls sideways. */
const overflowOf = (page: Page) =>
  page.locator('#content').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);

journey('a chosen theme holds in every tab, and after a reload', async ({ ada, open }) => {
  const page = await open('/?all=true', { as: ada, theme: 'light' });
  const other = await page.context().newPage();
  await other.goto('/?all=true');
  await page.getByRole('button', { name: ada.name }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  expect(await themeOf(page)).toBe('dark');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await other.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark');
  await other.reload();
  expect(await themeOf(other)).toBe('dark');
});

journey('the first key of a page leads past the navigation', async ({ ada, open }) => {
  const page = await open('/?all=true', { as: ada });
  await untilShown(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'content');
});

journey(
  'in a narrow window the navigation slides in, leads on, and a project is renamed',
  async ({ ada, open }) => {
    const { client } = ada;
    const { id: projectId } = await client.projects.create({ name: LONG_NAME });
    const page = await open('/?all=true', { as: ada, width: 320 });
    await untilShown(page);
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole('button', { name: `More about ${LONG_NAME}` }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Support');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Support' }).click();
    await page.getByRole('heading', { name: 'Support' }).waitFor();
    const opener = page.getByRole('button', { name: 'Open the navigation' });
    await opener.click();
    await page.keyboard.press('Escape');
    expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
    await opener.click();
    const sheet = page.getByRole('dialog', { name: 'Navigation' });
    await sheet.getByRole('link', { name: 'Members' }).click();
    await page.waitForURL(`**/projects/${projectId}/members`);
    await sheet.waitFor({ state: 'detached' });
    expect(await overflowOf(page)).toBe(0);
  },
);

journey('the links below the sessions appear where they stay', async ({ ada, open }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  await ada.client.sessions.create(id, { name: 'Refund 4471' });
  const looked = Promise.withResolvers<void>();
  const page = await open(`/projects/${id}/members`, {
    as: ada,
    before: async (opened) =>
      await opened.route(/\/projects\/[^/]+\/sessions\?/, async (route) => {
        await looked.promise;
        await route.continue();
      }),
  });
  const navigation = page.getByRole('navigation', { name: 'Acme Support' });
  await navigation.getByRole('link', { name: 'Sessions' }).waitFor();
  const links = navigation.getByRole('link', { name: /Templates|Members|API keys|Monitoring/ });
  expect(await links.count()).toBe(0);
  looked.resolve();
  await links.first().waitFor();
  expect(await links.count()).toBe(4);
  await navigation.getByRole('link', { name: 'Refund 4471' }).waitFor();
});

journey('a notice can be read and dismissed above an open dialog', async ({ ada, open }) => {
  const { id: projectId } = await ada.client.projects.create({ name: 'Notices' });
  const { id } = await ada.client.sessions.create(projectId, { name: 'Without an agent' });
  const page = await open(`/sessions/${id}`, { as: ada });
  await untilShown(page);
  const notice = page.getByText('No agent has been in this session');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await page.getByRole('heading', { level: 1 }).focus();
  // The list of keys is loaded when it is first opened. If that happened later, the notice might be gone by then.
  await page.keyboard.press('?');
  await keys.waitFor();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.keyboard.press('l');
  await notice.waitFor();
  await page.keyboard.press('?');
  await keys.waitFor();
  await page.getByRole('region', { name: 'Notices' }).getByRole('button').click();
  await notice.waitFor({ state: 'detached' });
});

journey(
  'single keys can be turned off, and stay off after a reload; Ctrl-K still works',
  async ({ ada, open, axe }) => {
    const { id: projectId } = await ada.client.projects.create({ name: 'Keys' });
    const { id } = await ada.client.sessions.create(projectId, { name: 'Quiet' });
    const page = await open(`/sessions/${id}`, { as: ada });
    await untilShown(page);
    const keys = page.getByRole('dialog', { name: 'Keys' });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.focus();
    await page.keyboard.press('?');
    await keys.getByRole('checkbox', { name: 'Use single keys' }).uncheck();
    await axe(page);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.reload();
    await untilShown(page);
    await heading.focus();
    for (const key of ['?', 'l', '/']) await page.keyboard.press(key);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to anything' }).waitFor();
    expect(await keys.count()).toBe(0);
    expect(await page.getByText('No agent has been in this session').count()).toBe(0);
  },
);
