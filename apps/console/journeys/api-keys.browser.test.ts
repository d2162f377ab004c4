import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { untilShown } from '../testing/layout.ts';

const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

/** Presses a button that copies, and returns what is copied. What was copied before must not match `begin`. */
async function copied(page: Page, button: string, begin: RegExp): Promise<string> {
  await page.getByRole('button', { name: button }).click();
  const read = async () => await page.evaluate(async () => await navigator.clipboard.readText());
  await expect.poll(read).toMatch(begin);
  return await read();
}

journey(
  'a key is created, copied, used, rotated and deleted; its secret is shown once',
  async ({ ada, stack, open, axe }) => {
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const sessions = `${stack.apiUrl}/projects/${project.id}/sessions`;
    const statusWith = async (secret: string): Promise<number> =>
      (await fetch(sessions, { headers: { authorization: `Bearer ${secret}` } })).status;
    const page = await open(`/projects/${project.id}`, { as: ada, permissions: CLIPBOARD });
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText(`curl -H "Authorization: Bearer $API_KEY" ${sessions}`).waitFor();
    await axe(page);

    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('Backend');
    await form.getByLabel('Last day (optional)').fill('2101-12-31');
    await axe(page);
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/It is not shown again\./).waitFor();
    const heading = page.getByRole('heading', { name: 'The secret of “Backend”' });
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    const first = await copied(page, 'Copy the secret', /^ck_/);
    expect(await copied(page, 'Copy the request', /^curl/)).toContain(`Bearer ${first}"`);
    expect(await statusWith(first)).toBe(200);
    await page.getByText(/^Valid until 31 Dec 2101$/).waitFor();
    await page.getByText('Secret by Ada Park').waitFor();
    await axe(page);

    await page.getByRole('button', { name: 'Rotate Backend' }).click();
    await page.getByText(/With 0 hours, its external agents stop\.$/).waitFor();
    await page.getByLabel('Hours for which the old secret stays valid').fill('0');
    await axe(page);
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText(first).first().waitFor({ state: 'detached' });
    const second = await copied(page, 'Copy the secret', /^ck_/);
    expect(second).not.toBe(first);
    await expect.poll(async () => await statusWith(first)).toBe(401);
    expect(await statusWith(second)).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Delete Backend' }).waitFor();
    expect(await page.content()).not.toContain(second);

    await page.getByRole('button', { name: 'Delete Backend' }).click();
    const question = page.getByRole('dialog', { name: 'Delete “Backend”?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No API key yet.').waitFor();
    await expect.poll(async () => await statusWith(second)).toBe(401);
  },
);

journey(
  'keys of admins are for owners; what the API refuses is said beside the form',
  async ({ ada, signUp, open, expectFault }) => {
    expectFault(/status of 40[39]/);
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const create = async (name: string, role: 'MEMBER' | 'ADMIN') =>
      await ada.client.apiKeys.create(project.id, { name, role });
    await create('Operations', 'ADMIN');
    await create('Backend', 'MEMBER');
    const ravi = await signUp('Ravi Rao');
    await ada.client.members.add(project.id, { email: ravi.email, role: 'ADMIN' });
    const page = await open(`/projects/${project.id}/keys`, { as: ravi, width: 320 });
    await page.getByRole('button', { name: 'Rotate Backend' }).waitFor();
    expect(await page.getByRole('button', { name: 'Rotate Operations' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    expect(await form.getByRole('option').allTextContents()).toEqual(['Member']);
    await form.getByLabel('Name').fill('One too many');
    for (let count = 2; count < 20; count += 1) await create(`Stage ${count}`, 'MEMBER');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Delete an API key of the project first.').waitFor();
    await ada.client.members.changeRole(project.id, ravi.id, { role: 'MEMBER' });
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/This requires the role ADMIN/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('API keys need an admin.').waitFor();
    expect(await page.getByRole('button', { name: /Create a key|Rotate|Delete/ }).count()).toBe(0);
    await page.reload();
    await untilShown(page);
    await page.getByText('An admin or owner of the project creates them').waitFor();
  },
);
