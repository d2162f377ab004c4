import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

journey(
  'signing out in one tab leads the other to the form, and back to where it was',
  async ({ ada, open }) => {
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${id}/members`, { as: ada });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`/projects/${id}`);
    await other.getByRole('button', { name: 'Ada Park' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByText('it stays valid until').waitFor();
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await other.getByText('You are signed out.').waitFor();
    expect(new URL(other.url()).search).toBe('');

    await page.getByText('You have signed out in another tab').waitFor();
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/projects/${id}/members`);
    // Signed in again in one tab is signed in again in all.
    await other.waitForURL(`**/projects/${id}`);
  },
);

journey(
  'a token that the API refuses: one sign-in, and back to the page',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 401/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const stale = { ...ada, token: `${ada.token.slice(0, -4)}AAAA` };
    const page = await open(`/projects/${id}`, { as: stale });
    await page.getByText('Your sign-in has expired').waitFor();
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/projects/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Acme Support' }).waitFor();
  },
);

journey(
  'signing out everywhere ends the sign-in of another browser too',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 401/);
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    const [page, elsewhere] = [
      await open(`/projects/${id}/members`, { as: ada }),
      await open(`/projects/${id}/members`, { as: ada }),
    ];
    await elsewhere.getByText('What each role may do').waitFor();
    await page.getByRole('button', { name: 'Ada Park' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('You are signed out.').waitFor();
    await elsewhere.reload();
    await elsewhere.getByText('Your sign-in has expired').waitFor();
  },
);

journey('an address elsewhere is not where signing in leads', async ({ ada, open }) => {
  const page = await open(`/sign-in?from=${encodeURIComponent('//example.org/')}`);
  await page.getByLabel('E-mail').fill(ada.email);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
});
