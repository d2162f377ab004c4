import { expect } from 'vitest';
import { heldWrite } from '../testing/held-write.ts';
import { journey } from '../testing/journey.ts';
import type { Person } from '../testing/people.ts';

const STEP = { title: 'Room', instructions: 'Ask for the room.' };

async function createPlan({ client }: Person) {
  const { id } = await client.projects.create({ name: 'Acme Support' });
  await client.planTemplates.create(id, { name: 'Booking', steps: [STEP] });
  return `/projects/${id}/templates`;
}

journey('a plan that is saved late closes no other editor', async ({ ada, open }) => {
  const page = await open(await createPlan(ada), { as: ada });
  const write = heldWrite(page, 'PATCH', /\/plan-templates\//);
  await page.getByRole('button', { name: 'Edit Booking' }).click();
  await page.getByLabel('Description').fill('By phone.');
  await page.getByRole('button', { name: 'Save' }).click();
  const late = await write;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  await page.getByRole('button', { name: 'New plan' }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Rooms');
  await late.continue();
  await page.getByText('“Booking” is saved.').waitFor();
  expect(await name.inputValue()).toBe('Rooms');
});

journey(
  'while a plan is saved nothing can be typed, and after a failure its field has the focus again',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 500/);
    const page = await open(await createPlan(ada), { as: ada });
    const write = heldWrite(page, 'PATCH', /\/plan-templates\//);
    await page.getByRole('button', { name: 'Edit Booking' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const isFocused = () => name.evaluate((field) => field === document.activeElement);
    await name.fill('Rooms');
    await page.keyboard.press('Enter');
    const late = await write;
    await expect.poll(isFocused).toBe(false);
    await page.keyboard.type(' and days');
    await late.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' } });
    await expect.poll(isFocused).toBe(true);
    expect(await name.inputValue()).toBe('Rooms');
  },
);

journey(
  'a version that is restored late leaves the form open whose dialog was closed',
  async ({ ada, open }) => {
    const { agentTemplates, projects } = ada.client;
    const { id: projectId } = await projects.create({ name: 'Acme Support' });
    const body = { name: 'Front desk', role: 'light-agent' } as const;
    const { id, version } = await agentTemplates.create(projectId, body);
    await agentTemplates.change(id, { greeting: 'Hello.', version });
    const page = await open(`/projects/${projectId}/templates`, { as: ada });
    const write = heldWrite(page, 'PATCH', /\/agent-templates\//);
    await page.getByRole('button', { name: 'Edit Front desk' }).click();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    const late = await write;
    await page.keyboard.press('Escape');
    const greeting = page.getByLabel('Greeting');
    await greeting.fill('Good day.');
    await late.continue();
    await page.getByText('Version 1 of “Front desk” was restored.').waitFor();
    expect(await greeting.inputValue()).toBe('Good day.');
  },
);
