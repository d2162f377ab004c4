import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

journey(
  'an owner adds a member and changes the role; what a role may not do is not offered',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 40[034]/);
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const ravi = await signUp('Ravi Rao');
    const address = `/projects/${project.id}/members`;
    const page = await open(address, { as: ada });
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel('E-mail').fill('ravi@acme');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('an e-mail address is needed').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('E-mail').fill(`not-${ravi.email}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByText(/invite the person with POST/)
      .last()
      .waitFor();
    const outside = await page.getByRole('alert').evaluate((notice) => {
      const { right } = notice.getBoundingClientRect();
      const parts = [...notice.querySelectorAll('*')];
      return parts.filter((part) => part.getBoundingClientRect().right > right).length;
    });
    expect(outside).toBe(0);
    await page.getByLabel('E-mail').fill(ravi.email);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('combobox', { name: 'Role of Ravi Rao' }).waitFor();

    const his = await open(address, { as: ravi, theme: 'dark' });
    await his.getByText('Your role in this project is Member.').waitFor();
    expect(await his.getByRole('button', { name: /Add a member|Remove/ }).count()).toBe(0);

    await page.getByRole('combobox', { name: 'Role of Ravi Rao' }).selectOption('ADMIN');
    await page.getByText('Ravi Rao is now Admin.').waitFor();
    await his.reload();
    await his.getByRole('button', { name: 'Add a member' }).click();
    await his.getByLabel('E-mail').fill(ada.email);
    await ada.client.members.changeRole(project.id, ravi.id, { role: 'MEMBER' });
    await his.getByRole('button', { name: 'Add', exact: true }).click();
    await his.getByText(/This requires the role/).waitFor();
    await his.keyboard.press('Escape');
    await his.getByText('Your role in this project is Member.').waitFor();
  },
);

journey('the last owner stays, and a member leaves', async ({ ada, signUp, open, expectFault }) => {
  expectFault(/status of 40[49]/);
  const project = await ada.client.projects.create({ name: 'Acme Support' });
  const ravi = await signUp('Ravi Rao');
  await ada.client.members.add(project.id, { email: ravi.email });
  const address = `/projects/${project.id}/members`;
  const page = await open(address, { as: ada, width: 320 });
  await page.getByRole('combobox', { name: 'Role of Ada Park' }).selectOption('MEMBER');
  await page.getByText(/A project needs an owner/).waitFor();
  const his = await open(address, { as: ravi });
  await his.getByRole('button', { name: 'Leave' }).click();
  await his
    .getByRole('dialog', { name: 'Leave this project?' })
    .getByRole('button', { name: 'Leave' })
    .click();
  await his.waitForURL(({ pathname }) => pathname === '/');
  await expect.poll(async () => (await ada.client.members.list(project.id)).items.length).toBe(1);
});
