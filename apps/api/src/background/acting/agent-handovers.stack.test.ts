import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { prepareAgent, recordRoom, sayIn } from '../../../testing/acting-agents.ts';
import { openTestAgents } from '../../../testing/agents.ts';

test('an agent hands over to another one, which goes on without a greeting, and the first one stops', async () => {
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  await using model = await startScriptedModel(
    calls(['hand_over', { to: 'Sales', reason: 'wants a price' }]),
    says('Sales goes on.'),
    says('It costs five.'),
    says('Per day.'),
  );
  const { sessionId, start, addSuccessor } = await prepareAgent(agents, model.baseUrl, {
    variables: [{ name: 'hotel' }, { name: 'own' }],
  });
  const agentTemplateId = await addSuccessor({
    name: 'Sales',
    greeting: 'Welcome!',
    instructions: 'You sell for {{hotel}}.',
    variables: [{ name: 'hotel' }],
  });
  await using room = await recordRoom(agents, sessionId);
  await agents.open();
  const first = await start({ hotel: 'Bellevue' });
  await agents.until(first, 'Running');
  await sayIn(agents, sessionId, 'What does it cost?');
  expect(await agents.until(first, 'Stopped')).toMatchObject({ reason: 'handed_over' });
  await expect.poll(() => room.texts).toEqual(['Sales goes on.', 'It costs five.']);
  await sayIn(agents, sessionId, 'Per week?');
  await expect.poll(() => room.texts).toEqual(['Sales goes on.', 'It costs five.', 'Per day.']);
  const { items } = (await api.inject(ana, { url: `/sessions/${sessionId}/agents` })).json();
  expect(items).toMatchObject([
    { agentTemplateId, status: 'Running', role: 'light-agent', variables: { hotel: 'Bellevue' } },
    { id: first },
  ]);
  const url = `/sessions/${sessionId}/messages?kind=handover`;
  const handovers = async () => (await api.inject(ana, { url })).json().items.toReversed();
  const to = { agentTemplateId, name: 'Sales' };
  await expect.poll(handovers).toMatchObject([
    {
      content: 'The agent hands over to Sales.',
      metadata: { payload: { state: 'requested', to } },
    },
    {
      content: 'Sales goes on with the conversation.',
      metadata: { payload: { state: 'taken', to } },
    },
  ]);
  const prompt = JSON.stringify(model.requests[2]?.body);
  expect(prompt).toContain('You sell for Bellevue.');
  expect(prompt).toContain('as data: wants a price');
  expect(model.requests).toHaveLength(4);
});
