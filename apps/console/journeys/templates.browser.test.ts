import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

journey(
  'a template and a plan are made and used, and no value is read back',
  async ({ ada, open }) => {
    const { client } = ada;
    const project = await client.projects.create({ name: 'Acme Support' });
    const page = await open(`/projects/${project.id}/templates`, {
      as: ada,
      height: 1000,
    });
    await page.getByRole('button', { name: 'New environment' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Rehearsal');
    await page.getByLabel('Value of LLM_API_KEY').fill('rehearsal');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const name = page.getByRole('combobox', { name: 'Name of the variable' }).last();
    await name.fill('NODE_OPTIONS');
    await page.getByText(/^This name is reserved, as are MEDIA_\*/).waitFor();
    await name.fill('');
    await page.getByRole('button', { name: 'Paste a .env file' }).click();
    await page.getByLabel('Text of the file').fill('export LANGUAGE="en" # English\nGREETING=off');
    await page.getByText('2 variables found.').waitFor();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('GREETING LANGUAGE LLM_API_KEY').waitFor();

    await page.getByRole('button', { name: 'Edit Rehearsal' }).click();
    await page.getByRole('button', { name: 'Replace the value of GREETING' }).waitFor();
    expect(await page.locator('input, textarea').evaluateAll(valuesOf)).not.toContain('rehearsal');
    await page.getByRole('button', { name: 'Remove LANGUAGE' }).click();
    await page.getByRole('button', { name: 'Templates', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('GREETING LLM_API_KEY', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'New plan' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Booking');
    await page.getByRole('button', { name: 'Add a step' }).click();
    for (const [index, title] of ['Room', 'Day'].entries()) {
      await page.getByLabel('Title').nth(index).fill(title);
      await page.getByLabel('Instructions').nth(index).fill(`Ask for the ${title}.`);
    }
    await page.getByRole('button', { name: 'Step 2: move it with the arrow keys' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('checkbox', { name: 'It collects an answer' }).first().check();
    await page.getByLabel('Name of the answer').fill('The day');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Day → Room').waitFor();

    const session = await client.sessions.create(project.id, { name: 'Onboarding call' });
    await page.goto(`/sessions/${session.id}?panel=agent`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    await dialog.getByRole('radio', { name: 'Light agent' }).check();
    await dialog.getByLabel('Plan').selectOption({ label: 'Booking' });
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByRole('button', { name: 'Talk to it' }).click();
    await page.getByRole('link', { name: 'Plan' }).click();
    const plan = page.getByRole('article', { name: 'Booking' });
    await expect
      .poll(() => plan.getByRole('listitem').allTextContents())
      .toEqual(['Day(Now)', 'Room(To do)']);
  },
);

journey(
  'what somebody else saved while a plan or an environment was edited is not overwritten',
  async ({ ada, open, axe, expectFault }) => {
    expectFault(/status of 412/);
    const { envTemplates, planTemplates, projects } = ada.client;
    const { id: projectId } = await projects.create({ name: 'Acme Support' });
    const plan = await planTemplates.create(projectId, { name: 'Booking', steps: stepsOf('Room') });
    const page = await open(`/projects/${projectId}/templates`, { as: ada });
    const edit = page.getByRole('button', { name: 'Edit Booking' });
    await edit.waitFor();
    await planTemplates.change(plan.id, { steps: stepsOf('Day') });
    await edit.click();
    // The editor does not begin with the list, which was read before the change.
    const title = page.getByLabel('Title');
    await expect.poll(() => title.inputValue()).toBe('Day');
    await planTemplates.change(plan.id, { steps: stepsOf('Hour') });
    const description = page.getByLabel('Description');
    await description.fill('By phone.');
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    const notice = page.getByText('Somebody has changed this template meanwhile.');
    await notice.waitFor();
    await axe(page);
    const reopen = page.getByRole('button', { name: 'Discard my changes and reopen' });
    await reopen.click();
    await expect.poll(() => title.inputValue()).toBe('Hour');
    await description.fill('By mail.');
    await save.click();
    await edit.waitFor();
    expect(await planTemplates.get(plan.id)).toMatchObject({
      description: 'By mail.',
      steps: [{ title: 'Hour' }],
    });

    const variables = { LLM_API_KEY: 'rehearsal', LANGUAGE: 'en' };
    const environment = await envTemplates.create(projectId, { name: 'Production', variables });
    await page.reload();
    await page.getByRole('button', { name: 'Edit Production' }).click();
    const replace = page.getByRole('button', { name: 'Replace the value of LANGUAGE' });
    await replace.click();
    const { version } = await envTemplates.change(environment.id, {
      variables: { LANGUAGE: 'de' },
    });
    await page.getByLabel('Value of LANGUAGE').fill('fr');
    await save.click();
    await notice.waitFor();
    await reopen.click();
    await replace.waitFor();
    expect((await envTemplates.get(environment.id)).version).toBe(version);
  },
);

journey(
  'a plan that the page of an agent has shown is edited as it was saved last',
  async ({ ada, open }) => {
    const { agents, planTemplates, projects, sessions } = ada.client;
    const { id: projectId } = await projects.create({ name: 'Acme Support' });
    const plan = await planTemplates.create(projectId, { name: 'Booking', steps: stepsOf('Room') });
    const session = await sessions.create(projectId, { name: 'Onboarding call' });
    const agent = await agents.start(session.id, { role: 'echo-agent', planId: plan.id });
    const page = await open(`/sessions/${session.id}/agents/${agent.id}`, { as: ada });
    await page.getByText('Booking', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Templates' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('button', { name: 'Edit Booking' }).click();
    await name.fill('Rooms');
    await save.click();
    await page.getByRole('button', { name: 'Edit Rooms' }).click();
    await expect.poll(() => name.inputValue()).toBe('Rooms');
    await name.fill('Days');
    await save.click();
    await page.getByRole('button', { name: 'Edit Days' }).waitFor();
  },
);

journey('a member reads templates, and is offered no change', async ({ ada, signUp, open }) => {
  const { client } = ada;
  const project = await client.projects.create({ name: 'Acme Support' });
  const variables = { LLM_API_KEY: 'secret' };
  await client.envTemplates.create(project.id, { name: 'Production', variables });
  const ravi = await signUp('Ravi Rao');
  await client.members.add(project.id, { email: ravi.email });
  const page = await open(`/projects/${project.id}/templates`, {
    as: ravi,
    width: 320,
  });
  await page.getByText('Production').waitFor();
  // Of the agents and of the plans.
  const nothing = page.getByText('An admin or owner of the project can make one.');
  await expect.poll(() => nothing.count()).toBe(2);
  expect(await page.getByRole('button', { name: /New|Edit|Delete|Import/ }).count()).toBe(0);
});

function valuesOf(fields: readonly Element[]): string[] {
  return fields.map((field) => ('value' in field ? String(field.value) : ''));
}

function stepsOf(title: string) {
  return [{ title, instructions: `Ask for the ${title}.` }];
}
