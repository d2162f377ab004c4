import { fillMessages } from '@session/testing/browser';
import { expect } from 'vitest';
import { startCallingModel } from '../testing/calling-model.ts';
import {
  joinRoom,
  say,
  shownWords,
  startSession,
  untilRecorded,
} from '../testing/conversations.ts';
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

journey(
  'a person takes over from an agent that asks for one, reloads the page, and hands back: meanwhile the agent answers nothing',
  async ({ ada, open, axe }) => {
    await using model = await startCallingModel('hand_over', { reason: 'wants a refund' }, {});
    const { client } = ada;
    const { projectId, sessionId } = await startSession(ada);
    await client.envTemplates.create(projectId, {
      name: 'Production',
      variables: { LLM_API_KEY: 'local', LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'calling' },
    });
    const { id: agentTemplateId } = await client.agentTemplates.create(projectId, {
      name: 'Desk',
      role: 'light-agent',
      greeting: 'off',
      handover: { persons: { say: 'I call a colleague.' } },
    });
    const agent = await client.agents.start(sessionId, { agentTemplateId });
    await client.agents.untilRunning(agent.id);
    await untilRecorded(ada, sessionId);
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    await client.messages.say(sessionId, { content: 'My money, please' });
    const takeOver = page.getByRole('button', { name: 'Take over' });
    await takeOver.waitFor();
    await page.getByText('wants a refund').waitFor();
    await axe(page);
    await takeOver.click();
    const handBack = page.getByRole('button', { name: 'Hand back' });
    await handBack.waitFor();
    await page.reload();
    await handBack.waitFor();
    // In another tab the person takes over too, and leaves by another address.
    const other = await page.context().newPage();
    await other.goto(`/sessions/${sessionId}`);
    await other.getByRole('button', { name: 'Take over' }).click();
    const otherHandBack = other.getByRole('button', { name: 'Hand back' });
    await otherHandBack.waitFor();
    await other.goto(`/projects/${projectId}`);
    await other.reload();
    await other.getByRole('heading').getByRole('link', { name: 'Onboarding call' }).click();
    await other.getByRole('button', { name: 'Join', exact: true }).waitFor();
    expect(await otherHandBack.count()).toBe(0);
    await other.close();
    await say(page, 'You get it back');
    await page.getByText('A person speaks in the place of the agent.').first().waitFor();
    const stored = async () =>
      (await client.messages.list(sessionId)).items.map((one) => one.content);
    await expect.poll(stored).toContain('You get it back');
    await axe(page);
    await handBack.click();
    // The agent reports only some seconds later that it continues, because the operator may come back.
    await takeOver.waitFor({ state: 'detached' });
    await client.messages.say(sessionId, { content: 'Is there a room?' });
    const words = ['My money, please', 'I call a colleague.', 'You get it back'];
    const end = ['Is there a room?', 'There is a room.'];
    await expect.poll(() => shownWords(page)).toEqual([...words, ...end]);
  },
);

journey(
  'an agent’s request for a person is shown although many messages followed it',
  async ({ ada, stack, open }) => {
    const { sessionId } = await startSession(ada);
    await fillMessages(stack.databaseUrl, sessionId, 300);
    const { id } = await ada.client.agents.start(sessionId, { role: 'echo-agent' });
    await ada.client.agents.untilRunning(id);
    const participant = { identity: `agent-echo-agent-${id.slice(-8)}` };
    const payload = { state: 'requested', reason: 'wants a refund' };
    const page = await open(`/sessions/${sessionId}`, {
      as: ada,
      before: async (opened) =>
        await opened.route(/\/messages\?.*kind=handover/, async (route) => {
          const response = await route.fetch();
          const items = [{ metadata: { kind: 'handover', payload, participant } }];
          await route.fulfill({ response, json: { items, nextCursor: null } });
        }),
    });
    await page.getByText('wants a refund').waitFor();
    await page.getByRole('button', { name: 'Take over' }).waitFor();
  },
);
