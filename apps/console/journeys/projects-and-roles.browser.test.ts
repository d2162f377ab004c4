import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

journey(
  'a member is offered no deletion, and a role lost meanwhile is a sentence',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 403/);
    const ravi = await signUp('Ravi');
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    await ada.client.sessions.create(id, { name: 'Refund 4471' });
    await ada.client.members.add(id, { email: ravi.email, role: 'ADMIN' });
    const page = await open(`/projects/${id}`, { as: ravi });
    await page.getByRole('button', { name: 'More about Refund 4471' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await ada.client.members.changeRole(id, ravi.id, { role: 'MEMBER' });
    await page.getByRole('button', { name: 'Delete the session' }).click();
    await page.getByText('Not allowed').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'More about Refund 4471' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    // The refusal makes the page read its roles again. Without it, the page would do so only after half a minute.
    await expect
      .poll(() => page.getByRole('menuitem', { name: 'Delete' }).count(), { timeout: 20_000 })
      .toBe(0);
  },
);

journey(
  'a project that was left or never was: a page that says so',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 404/);
    const ravi = await signUp('Ravi');
    const { id } = await ada.client.projects.create({ name: 'Acme Support' });
    for (const address of [`/projects/${id}`, `/projects/${id}/members`]) {
      const page = await open(address, { as: ravi });
      await page.getByRole('heading', { name: 'There is no such project' }).waitFor();
      await page.getByRole('link', { name: 'All projects' }).waitFor();
    }
  },
);

journey(
  'an owner deletes a project by typing its name, and is among the others again',
  async ({ ada, open, expectFault }) => {
    // Until the deletion is answered, the page may read the list once more.
    expectFault(/status of 404 .*\/sessions\?/);
    // A page shows both blanks as one.
    const { id } = await ada.client.projects.create({ name: 'Acme  Support' });
    await ada.client.projects.create({ name: 'Research' });
    const page = await open(`/projects/${id}`, { as: ada });
    await page.getByRole('main').getByRole('button', { name: 'More about Acme Support' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByLabel('to confirm').fill('Acme Support');
    await page.getByRole('button', { name: 'Delete the project' }).click();
    await page.getByText('“Acme Support” is deleted.').waitFor();
    await page
      .getByRole('list', { name: 'Projects' })
      .getByRole('link', { name: 'Research' })
      .waitFor();
    const names = await page
      .getByRole('list', { name: 'Projects' })
      .getByRole('link')
      .allInnerTexts();
    expect(names).toEqual(['Research']);
  },
);

journey('an admin chooses the language of the search', async ({ ada, open, axe }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  const page = await open(`/projects/${id}`, { as: ada });
  const openDialog = async () => {
    await page.getByRole('main').getByRole('button', { name: 'More about Acme Support' }).click();
    await page.getByRole('menuitem', { name: 'Language of the search' }).click();
  };
  await openDialog();
  const dialog = page.getByRole('dialog', { name: 'is searched' });
  await dialog.getByLabel('Language').selectOption('German');
  await axe(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Messages are searched in German.').waitFor();
  expect(await ada.client.projects.get(id)).toMatchObject({ searchLanguage: 'german' });
  await openDialog();
  await expect.poll(() => dialog.getByLabel('Language').inputValue()).toBe('german');
});

journey('an owner limits how long a project keeps histories', async ({ ada, open, axe }) => {
  const { id } = await ada.client.projects.create({ name: 'Acme Support' });
  const page = await open(`/projects/${id}`, { as: ada });
  const dialog = page.getByRole('dialog', { name: 'keeps histories' });
  const openDialog = async () => {
    await page.getByRole('main').getByRole('button', { name: 'More about Acme Support' }).click();
    await page.getByRole('menuitem', { name: 'Keep histories' }).click();
  };
  await openDialog();
  await dialog.getByLabel('Days').fill('30');
  await axe(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Histories are kept for 30 days.').waitFor();
  expect(await ada.client.projects.get(id)).toMatchObject({ retentionDays: 30 });
  await openDialog();
  await expect.poll(() => dialog.getByLabel('Days').inputValue()).toBe('30');
  await dialog.getByLabel('Days').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Histories are kept for ever.').waitFor();
  expect(await ada.client.projects.get(id)).toMatchObject({ retentionDays: null });
});
