import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

journey(
  'a sign-out in one tab leads the other to the form, and its token is gone',
  async ({ ada, open }) => {
    await ada.client.projects.create({ name: 'First' });
    const page = await open('/?all=true', { as: ada });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/?all=true');
    await other.getByRole('button', { name: ada.name }).click();
    await other.getByRole('menuitem', { name: /Sign out/ }).click();
    await other
      .getByRole('button', { name: /Sign out/ })
      .last()
      .click();
    await page.waitForURL('**/sign-in*');
    await other.waitForURL('**/sign-in*');
    expect(await page.evaluate(() => localStorage.getItem('session.token'))).toBeNull();
  },
);

journey('two tabs that start talking at once share one conversation', async ({ ada, open }) => {
  const page = await open('/', { as: ada });
  const other = await page.context().newPage();
  await other.goto('/');
  const buttons = [page, other].map((tab) => tab.getByRole('button', { name: 'Start talking' }));
  await Promise.all(buttons.map(async (button) => await button.waitFor()));
  await Promise.all(buttons.map(async (button) => await button.click()));
  await Promise.all([page, other].map(async (tab) => await tab.waitForURL('**/sessions/*')));
  expect(other.url()).toBe(page.url());
  expect((await ada.client.auth.me()).projectMemberships).toHaveLength(1);
});
