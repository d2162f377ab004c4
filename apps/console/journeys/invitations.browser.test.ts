import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows, untilShown } from '../testing/layout.ts';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

/** Invites a person, and returns the path of the link with its secret. */
async function invite(page: Page, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const issued = page.getByRole('region', { name: `The invitation of ${email}` });
  await issued.getByRole('button', { name: 'Copy the link' }).click();
  await expect
    .poll(async () => await page.evaluate(async () => await navigator.clipboard.readText()))
    .toContain('/invitation#');
  const link = await page.evaluate(async () => await navigator.clipboard.readText());
  await issued.getByText(/It is not shown again\./).waitFor();
  const { pathname, hash } = new URL(link);
  return `${pathname}${hash}`;
}

journey(
  'an invited person signs in, comes back, and accepts; the link opens nothing more',
  async ({ ada, signUp, open, axe, expectFault }) => {
    expectFault(/status of 404/);
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const ravi = await signUp('Ravi Rao');
    const page = await open(`/projects/${project.id}/members`, { as: ada, permissions: CLIPBOARD });
    const path = await invite(page, ravi.email);
    await axe(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('region', { name: 'Open invitations' })
      .getByText(ravi.email, { exact: true })
      .waitFor();
    await axe(page);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);

    const his = await open(path, { width: 320, theme: 'dark' });
    await his.getByRole('heading', { name: 'Join “Acme Support”' }).waitFor();
    await his.getByText(`${ravi.email} is invited to this project as Member.`).waitFor();
    expect(new URL(his.url()).hash).toBe('');
    expect(await overflows(his)).toEqual([]);
    await axe(his);
    await his.getByRole('link', { name: 'Sign in' }).click();
    await his.getByLabel('E-mail').fill(ravi.email);
    await his.getByLabel('Password').fill(ravi.password);
    await his.getByRole('button', { name: 'Sign in' }).click();
    await his.waitForURL('**/invitation');
    await his.getByText(`You are signed in as Ravi Rao (${ravi.email}).`).waitFor();
    await axe(his);
    await his.getByRole('button', { name: 'Accept the invitation' }).click();
    await his.waitForURL(`**/projects/${project.id}`);
    await his.getByText('You are now Member of “Acme Support”.').waitFor();

    const again = await open(path, { as: ravi });
    await again.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  },
);

journey(
  'a person without an account signs up first; a withdrawn invitation opens nothing',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 404/);
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${project.id}/members`, { as: ada, permissions: CLIPBOARD });
    const email = `new-${ada.email}`;
    const path = await invite(page, email);
    const theirs = await open(path);
    await theirs.getByRole('link', { name: 'Sign up' }).click();
    await theirs.getByLabel('Name').fill('Mina Sato');
    await theirs.getByLabel('E-mail').fill(email);
    await theirs.getByLabel('Password').fill('correct horse');
    await theirs.getByRole('button', { name: 'Sign up' }).click();
    await theirs.getByRole('button', { name: 'Accept the invitation' }).click();
    await theirs.waitForURL(`**/projects/${project.id}`);

    await page.getByRole('button', { name: 'Done' }).click();
    const other = await invite(page, `other-${ada.email}`);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('button', { name: `Withdraw the invitation of other-${ada.email}` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText(`The invitation of other-${ada.email} is withdrawn.`).waitFor();
    const late = await open(other);
    await late.getByText(/Ask whoever invited you for a new one\./).waitFor();
    await untilShown(late);
  },
);
