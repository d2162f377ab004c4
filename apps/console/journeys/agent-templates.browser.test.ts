import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

const PARAMETERS = JSON.stringify({
  type: 'object',
  properties: { day: { type: 'string', description: 'As YYYY-MM-DD' } },
  required: ['day'],
});

journey(
  'an agent template with a tool is written, changed, restored, and starts an agent with its variables',
  async ({ ada, open, axe, expectFault }) => {
    expectFault(/status of 4(00|12)/);
    const { client } = ada;
    const { projectId, sessionId } = await startSession(ada);
    await client.envTemplates.create(projectId, {
      name: 'Rehearsal',
      variables: { LLM_API_KEY: 'rehearsal', HOTEL_KEY: 's3cret' },
      hosts: { HOTEL_KEY: ['api.hotel.example'] },
    });
    const page = await open(`/projects/${projectId}/templates`, { as: ada, height: 1200 });
    await page.getByText('No agent template yet.').waitFor();
    const sales = await client.agentTemplates.create(projectId, {
      name: 'Sales',
      role: 'light-agent',
      variables: [{ name: 'budget', required: true }],
    });
    await page.reload();
    await page.getByRole('button', { name: 'New agent' }).click();
    await axe(page);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Front desk');
    await page.getByLabel('Instructions').fill('You take bookings for {{hotel}}.');
    await page.getByLabel('Greeting').fill('Good day, {{guest}}, this is {{hotel}}.');
    await page.getByLabel('Temperature').fill('0.3');
    await page.getByLabel('Texts that it answers').selectOption('named');
    await page.getByRole('button', { name: 'Add an agent' }).click();
    const successor = page.getByLabel('Agent template');
    await successor.selectOption({ label: 'Sales' });
    const nameOfSuccessor = page.getByLabel('Name for the model');
    expect(await nameOfSuccessor.inputValue()).toBe('Sales');
    await nameOfSuccessor.fill('Person');
    await page.getByLabel('What it is for').fill('Knows prices.');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Name of the variable').fill('hotel');
    await page.getByLabel('Default of hotel').fill('Hotel Astoria');
    await page.getByRole('button', { name: 'Add a tool' }).click();
    await page.getByLabel('Tool name').fill('find_rooms');
    await page.getByLabel('Description').fill('Finds the free rooms of a day.');
    await page.getByLabel('URL').fill('https://api.hotel.example/rooms?day={day}');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of the header').fill('authorization');
    await page.getByLabel('Value of authorization').fill('Bearer {{env.HOTEL_KEY}}');
    await page.getByRole('button', { name: 'Add an MCP server' }).click();
    await page.getByLabel('Server name').fill('crm');
    await page.getByLabel('Server URL').fill('https://api.hotel.example/mcp');
    await page.getByLabel('Allowed tools').fill('search sha256:0');
    const parameters = page.getByLabel('Parameters');
    await parameters.fill('{"type": "object",');
    await page.getByText(/^This is not JSON: /).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await axe(page);
    await parameters.fill(PARAMETERS.replace('"string"', '"text"'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^properties\.day/)
      .first()
      .waitFor();
    await parameters.fill(PARAMETERS);
    await page
      .getByText(/choose another name than person/)
      .first()
      .waitFor();
    await nameOfSuccessor.fill('Offers');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/a digest is sha256: and 64/)
      .first()
      .waitFor();
    await page.getByLabel('Allowed tools').fill('search');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/no variable of the template has the name in \{\{guest\}\}/).waitFor();
    // The host of this server does not exist, which the check of a start would report.
    await page.getByRole('button', { name: 'Remove MCP server 1' }).click();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Name of the variable').last().fill('guest');
    await page.getByRole('checkbox', { name: 'Required' }).last().check();
    for (const width of [1280, 640, 320]) {
      await page.setViewportSize({ width, height: 640 });
      expect(await overflows(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 1200 });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => successor.getAttribute('aria-invalid')).toBe('true');
    await page
      .getByText(/“Offers” requires a value for budget/)
      .first()
      .waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Name of the variable').last().fill('budget');
    await page.getByRole('button', { name: 'Save' }).click();

    const edit = page.getByRole('button', { name: 'Edit Front desk' });
    await edit.click();
    const listed = await client.agentTemplates.list(projectId).toArray({ limit: 2 });
    const id = listed.find(({ name }) => name === 'Front desk')?.id ?? '';
    const agents = [{ agentTemplateId: sales.id, name: 'Offers', description: 'Knows prices.' }];
    expect(await client.agentTemplates.get(id)).toMatchObject({
      version: 1,
      answers: 'named',
      handover: { agents },
    });
    await expect
      .poll(() => successor.locator('option').allTextContents())
      .toEqual(['Choose one', 'Sales']);
    await client.agentTemplates.change(id, { greeting: 'Hello, {{guest}}.' });
    await page.getByText('Try find_rooms').click();
    await page.getByLabel('Arguments for find_rooms').fill('{"day": "2026-12-01"}');
    await page.getByLabel('Variables for find_rooms').fill('{"guest": "Ada"}');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Not called: the server cannot be reached.').waitFor();
    await axe(page);
    await page.getByLabel('Greeting').fill('Too late');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody has changed this template meanwhile.').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Discard my changes and reopen' }).click();
    await expect.poll(() => page.getByLabel('Greeting').inputValue()).toBe('Hello, {{guest}}.');
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Version 1', exact: true }).click();
    await page.getByText('Good day, {{guest}}, this is {{hotel}}.').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 3 · Changed').waitFor();

    await page.goto(`/sessions/${sessionId}?panel=agent`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    await dialog.getByLabel('Agent template').selectOption({ label: 'Front desk' });
    await dialog.getByLabel('guest').fill('Mina');
    await dialog.getByText('Nothing prevents this agent from starting.').waitFor();
    await axe(page);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByRole('button', { name: 'Talk to it' }).click();
    await page.getByText('Good day, Mina, this is Hotel Astoria.').first().waitFor();
    const [agent] = await client.agents.list(sessionId).toArray({ limit: 1 });
    await page.goto(`/sessions/${sessionId}/agents/${agent?.id}`);
    await page.getByText('Front desk, version 3').waitFor();
  },
);

journey(
  'the hosts of a variable come with its value, and are removed without it',
  async ({ ada, open, axe }) => {
    const { projectId } = await startSession(ada);
    const page = await open(`/projects/${projectId}/templates`, { as: ada });
    await page.getByRole('button', { name: 'New environment' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Production');
    await page.getByLabel('Value of LLM_API_KEY').fill('rehearsal');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByRole('combobox', { name: 'Name of the variable' }).last().fill('HOTEL_KEY');
    await page.getByLabel('Value of HOTEL_KEY').fill('s3cret');
    await page.getByLabel(/^Hosts that tools may send HOTEL_KEY to/).fill('api.hotel.example');
    await axe(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit Production' }).click();
    await page.getByText('Tools may send it to api.hotel.example.').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Remove the hosts of HOTEL_KEY' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit Production' }).waitFor();
    const [template] = await ada.client.envTemplates.list(projectId).toArray({ limit: 1 });
    expect([template?.keys, template?.hosts]).toEqual([['HOTEL_KEY', 'LLM_API_KEY'], {}]);
  },
);

journey(
  'the list of agent templates names the MCP servers of each beside its tools',
  async ({ ada, open }) => {
    const project = await ada.client.projects.create({ name: 'Acme Support' });
    const server = { url: 'https://crm.example/mcp', tools: [{ name: 'search' }] };
    await ada.client.agentTemplates.create(project.id, {
      name: 'Front desk',
      role: 'light-agent',
      mcpServers: [
        { name: 'crm', ...server },
        { name: 'billing', ...server },
      ],
    });
    const page = await open(`/projects/${project.id}/templates`, { as: ada, width: 320 });
    await page.getByText('MCP servers crm  billing').waitFor();
  },
);
