import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

journey(
  'an admin sees who did what, in words, of one action or of one actor; a member does not',
  async ({ ada, signUp, open, axe }) => {
    const { client } = ada;
    const project = await client.projects.create({ name: 'Acme Support' });
    const address = `/projects/${project.id}/audit`;
    const ravi = await signUp('Ravi Rao');
    const page = await open(`/projects/${project.id}`, { as: ada });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('Nothing to show yet.').waitFor();

    await client.members.add(project.id, { email: ravi.email, role: 'ADMIN' });
    await client.apiKeys.create(project.id, { name: 'Backend' });
    await ravi.client.projects.rename(project.id, { name: 'Acme Care' });
    const session = await ravi.client.sessions.create(project.id, { name: 'Refund 4471' });
    await ravi.client.sessions.close(session.id);
    await page.reload();
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await events.filter({ hasText: 'Ravi Rao closed a session' }).waitFor();
    await events
      .filter({ hasText: 'Ravi Rao renamed the project from “Acme Support” to “Acme Care”' })
      .waitFor();
    await events.filter({ hasText: 'Ada Park added Ravi Rao as Admin' }).waitFor();
    await axe(page);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflows(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByLabel('Action').selectOption('API key created');
    await events.filter({ hasText: 'closed' }).waitFor({ state: 'detached' });
    expect(await events.allTextContents()).toEqual([
      expect.stringContaining('Ada Park created the API key “Backend” as Member'),
    ]);
    await page.getByLabel('By').selectOption('Ravi Rao');
    await page.getByText('No event matches.').waitFor();
    await axe(page);
    await page.reload();
    await page.getByRole('button', { name: 'Show all events' }).click();
    await events.getByRole('link', { name: 'Ravi Rao' }).first().click();
    await events.filter({ hasText: 'Ada Park' }).first().waitFor({ state: 'detached' });
    expect(await page.getByLabel('By').inputValue()).toBe(ravi.id);
    await events.getByRole('link', { name: 'session' }).click();
    await page.waitForURL(`**/sessions/${session.id}`);

    await client.members.changeRole(project.id, ravi.id, { role: 'MEMBER' });
    const his = await open(address, { as: ravi, theme: 'dark' });
    await his.getByText('The audit trail needs an admin.').waitFor();
  },
);

journey('earlier events are read when they are asked for', async ({ ada, open }) => {
  const { client } = ada;
  const project = await client.projects.create({ name: 'Acme 0' });
  for (let number = 1; number <= 60; number += 1) {
    await client.projects.rename(project.id, { name: `Acme ${number}` });
  }
  const page = await open(`/projects/${project.id}/audit`, { as: ada });
  const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await events.filter({ hasText: 'from “Acme 59” to “Acme 60”' }).waitFor();
  expect(await events.count()).toBe(50);
  await page.getByRole('button', { name: 'Show earlier events' }).click();
  await events.filter({ hasText: 'from “Acme 0” to “Acme 1”' }).waitFor();
  expect(await events.count()).toBe(60);
  expect(await page.getByRole('button', { name: 'Show earlier events' }).count()).toBe(0);
});
