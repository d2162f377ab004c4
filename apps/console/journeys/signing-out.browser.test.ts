import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import type { Person } from '../testing/people.ts';

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
}

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
    await signIn(page, ada);
    await page.waitForURL(`**/projects/${id}/members`);
    // A sign-in in one tab applies to all tabs.
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
    await signIn(page, ada);
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

journey(
  'unsaved changes outlive the end of a sign-in: its user saves them, and another user does not get them',
  async ({ ada, signUp, open, axe, expectFault }) => {
    expectFault(/status of 401/);
    const ravi = await signUp('Ravi Rao');
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    await ada.client.members.add(id, { email: ravi.email, role: 'ADMIN' });
    await ada.client.agentTemplates.create(id, { name: 'Front desk', role: 'light-agent' });
    const page = await open(`/projects/${id}/templates`, { as: ada });
    const edit = page.getByRole('button', { name: 'Edit Front desk' });
    const greeting = page.getByLabel('Greeting');
    const save = page.getByRole('button', { name: 'Save' });
    const line = page.getByText('Your sign-in has ended.');
    await edit.click();
    await greeting.fill('Good day.');
    await ada.client.account.signOut();
    await save.click();
    await line.waitFor();
    await axe(page);
    const other = await page.context().newPage();
    await other.goto('/sign-in');
    await signIn(other, ada);
    await line.waitFor({ state: 'detached' });
    expect(await greeting.inputValue()).toBe('Good day.');
    await save.click();
    await page.getByText('Version 2 · Changed').waitFor();

    await page.getByRole('button', { name: 'New agent' }).click();
    await greeting.fill('Hello.');
    await signOut(other, ada);
    await line.waitFor();
    await signIn(other, ravi);
    await greeting.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: ravi.name }).waitFor();

    await edit.click();
    await greeting.fill('Welcome.');
    await signOut(other, ravi);
    await line.waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByText('You have signed out in another tab').waitFor();
  },
);

journey(
  'a page that stays for its unsaved changes asks for nothing until somebody signs in again',
  async ({ ada, stack, open }) => {
    const { planTemplates, projects } = ada.client;
    const { id } = await projects.create({ name: 'Acme Support' });
    const steps = [{ title: 'Room', instructions: 'Ask for the room.' }];
    await planTemplates.create(id, { name: 'Booking', steps });
    const page = await open(`/projects/${id}/templates`, {
      as: ada,
      before: async (opened) => {
        await opened.clock.install();
      },
    });
    const withoutToken: string[] = [];
    page.on('request', (request) => {
      const isRead = request.method() === 'GET' && request.url().startsWith(stack.apiUrl);
      if (isRead && !request.headers()['authorization']) withoutToken.push(request.url());
    });
    await page.getByRole('button', { name: 'Edit Booking' }).click();
    await page.getByLabel('Description').fill('By phone.');
    const other = await page.context().newPage();
    await other.goto('/account');
    await signOut(other, ada);
    const line = page.getByText('Your sign-in has ended.');
    await line.waitFor();
    // The account is read every half minute, the sessions more often.
    for (let round = 0; round < 3; round += 1) {
      await page.clock.fastForward(31_000);
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    }
    await signIn(other, ada);
    await line.waitFor({ state: 'detached' });
    expect(withoutToken).toEqual([]);
    const read = page.waitForRequest(/\/sessions\?/);
    await page.clock.fastForward(6000);
    await read;
  },
);

journey('an address elsewhere is not where signing in leads', async ({ ada, open }) => {
  const page = await open(`/sign-in?from=${encodeURIComponent('//example.org/')}`);
  await signIn(page, ada);
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
});
