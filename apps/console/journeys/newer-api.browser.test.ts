import { journey } from '../testing/journey.ts';
import { untilShown } from '../testing/layout.ts';
import { renameValues } from '../testing/newer-api.ts';

journey(
  'values that this console does not know stand there by their names',
  async ({ ada, stack, open }) => {
    const { client } = ada;
    const { id: projectId } = await client.projects.create({ name: 'Tomorrow' });
    const { id: sessionId } = await client.sessions.create(projectId, { name: 'Of tomorrow' });
    await client.messages.say(sessionId, { content: 'Words of an unknown kind' });
    const agent = await client.agents.start(sessionId, { role: 'echo-agent' });
    await client.agents.untilRunning(agent.id);
    const as = ada;
    const values = {
      Running: 'Hibernating',
      joined: 'teleported',
      OWNER: 'EMPEROR',
      text: 'hologram',
      recording: 'rewinding',
      participant_joined: 'participant_beamed',
      ACTIVE: 'PAUSED',
    };
    const before = {
      before: (page: Parameters<typeof renameValues>[0]) =>
        renameValues(page, stack.apiUrl, values),
    };
    const agentPage = await open(`/sessions/${sessionId}/agents/${agent.id}`, { as, ...before });
    await agentPage.getByText('Hibernating').first().waitFor();
    await agentPage.getByText('teleported').first().waitFor();
    const members = await open(`/projects/${projectId}/members`, { as, ...before });
    await members.getByText('EMPEROR').first().waitFor();
    const session = await open(`/sessions/${sessionId}`, { as, ...before });
    await session.getByText('Words of an unknown kind').waitFor();
    await session.getByText('hologram').first().waitFor();
    await session.getByText('participant_beamed').first().waitFor();
    await session.getByRole('button', { name: 'rewinding', exact: true }).waitFor();
    await session.locator('header').getByText('PAUSED').waitFor();
    const list = await open(`/projects/${projectId}`, { as, ...before });
    await untilShown(list);
    const row = list.getByRole('main').getByRole('listitem').filter({ hasText: 'Of tomorrow' });
    await row.getByText('PAUSED').first().waitFor();
    const monitoring = await open(`/projects/${projectId}/monitoring`, { as, ...before });
    await monitoring.getByRole('main').getByText('rewinding').waitFor();
  },
);
