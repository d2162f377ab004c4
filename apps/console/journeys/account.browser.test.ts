import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

journey(
  'the menu leads to the account; name and address are changed there, the address with the password',
  async ({ ada, signUp, open, axe, expectFault }) => {
    expectFault(/status of 40[39]/);
    const ravi = await signUp('Ravi Rao');
    const page = await open('/?all=true', { as: ada });
    await page.getByRole('button', { name: 'Ada Park' }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.waitForURL('**/account');
    const profile = page.getByRole('form', { name: 'Profile' });
    await profile.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
    expect(await profile.getByLabel('Present password').count()).toBe(0);
    await profile.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();

    await profile.getByLabel('E-mail').fill(ravi.email);
    await profile.getByLabel('Present password').fill('incorrect horse');
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByText('This is not your password.').waitFor();
    await axe(page);
    await profile.getByLabel('Present password').fill(ada.password);
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByText('Another account has this address.').waitFor();
    const email = `new-${ada.email}`;
    await profile.getByLabel('E-mail').fill(email);
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByLabel('Present password').waitFor({ state: 'detached' });
    expect(await ada.client.auth.me()).toMatchObject({ name: 'Ada Lovelace', email });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
  },
);

journey(
  'a changed password: the former one is refused beside its field, and the page stays signed in',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 40[13]/);
    const page = await open('/account', { as: ada });
    const form = page.getByRole('form', { name: 'Password' });
    await form.getByLabel('Present password').fill('incorrect horse');
    await form.getByLabel('New password').fill('battery staple');
    await form.getByRole('button', { name: 'Change the password' }).click();
    await form.getByText('This is not your password.').waitFor();
    await form.getByLabel('Present password').fill(ada.password);
    await form.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    expect(await form.getByLabel('New password').inputValue()).toBe('');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await expect(ada.client.auth.me()).rejects.toMatchObject({ status: 401 });
    const account = { email: ada.email, password: 'battery staple' };
    expect((await ada.client.auth.logIn(account)).user.id).toBe(ada.id);
  },
);

journey(
  'signing out everywhere leads to the form, and ends the token',
  async ({ ada, open, axe, expectFault }) => {
    expectFault(/status of 401/);
    const page = await open('/account', { as: ada, theme: 'dark' });
    await page.getByRole('button', { name: 'Sign out everywhere …' }).click();
    await axe(page);
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
    await page.getByText('You are signed out.').waitFor();
    await expect(ada.client.auth.me()).rejects.toMatchObject({ status: 401 });
  },
);

journey(
  'an account that alone owns a project is led to it, and deleted without one',
  async ({ ada, signUp, open, axe, expectFault }) => {
    expectFault(/status of 40[139]/);
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(project.id, { email: ravi.email });
    const page = await open('/account', { as: ada });
    await page.getByRole('button', { name: 'Delete the account …' }).click();
    const question = page.getByRole('dialog', { name: 'Delete your account?' });
    await question.getByLabel('Password').fill('incorrect horse');
    await question.getByRole('button', { name: 'Delete the account' }).click();
    await question.getByText('This is not your password.').waitFor();
    await question.getByLabel('Password').fill(ada.password);
    await question.getByRole('button', { name: 'Delete the account' }).click();
    await question.getByText(/You are the only owner of these projects\./).waitFor();
    await axe(page);
    await question.getByRole('link', { name: 'Acme Support' }).click();
    await page.waitForURL(`**/projects/${project.id}/members`);
    await question.waitFor({ state: 'detached' });

    // A page of the deleted project would get 404.
    await page.goto('/account');
    await ada.client.projects.delete(project.id);
    await page.getByRole('button', { name: 'Delete the account …' }).click();
    await question.getByLabel('Password').fill(ada.password);
    await question.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByText('Your account is deleted.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const { email, password } = ada;
    await expect(ada.client.auth.logIn({ email, password })).rejects.toMatchObject({
      status: 401,
    });
  },
);
