import { startCallingModel } from '../testing/calling-model.ts';
import { joinRoom, say, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'an agent template with a tool is created, and the call of the tool stands in the conversation',
  async ({ ada, open, axe }) => {
    const day = '2026-12-01';
    await using model = await startCallingModel('find_rooms', { day }, { rooms: 2 });
    const { client } = ada;
    const { projectId, sessionId } = await startSession(ada);
    await client.envTemplates.create(projectId, {
      name: 'Production',
      variables: { LLM_API_KEY: 'local', LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'calling' },
    });
    const page = await open(`/projects/${projectId}/templates`, { as: ada });
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Front desk');
    await page.getByLabel('Greeting').fill('off');
    await page.getByRole('button', { name: 'Add a tool' }).click();
    await page.getByLabel('Tool name').fill('find_rooms');
    await page.getByLabel('Description').fill('Finds the free rooms of a day.');
    await page.getByLabel('URL').fill(model.toolUrl);
    const properties = { day: { type: 'string' } };
    await page.getByLabel('Parameters').fill(JSON.stringify({ type: 'object', properties }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 1 · Changed').waitFor();

    await page.goto(`/sessions/${sessionId}?panel=agent`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    await dialog.getByLabel('Agent template').selectOption({ label: 'Front desk' });
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByRole('button', { name: 'Talk to it' }).click();
    await joinRoom(page);
    await say(page, 'Is there a room?');
    await page.getByText('There is a room.').first().waitFor();
    await page.getByRole('button', { name: /called find_rooms Done/ }).click();
    await page.getByText(`"day": "${day}"`).waitFor();
    await page.getByText('"rooms": 2').waitFor();
    await axe(page);
  },
);
