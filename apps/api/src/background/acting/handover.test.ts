import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { joinRoom } from '@session/media';
import { expect, test } from 'vitest';
import { prepareAgent, recordRoom, sayIn } from '../../../testing/acting-agents.ts';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';

const HAND_OVER = calls(['hand_over', { reason: 'wants a refund' }]);

test('an agent that asks for a person is silent while the bearer of a token of the mode `operator` is in the room', async () => {
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  await using model = await startScriptedModel(HAND_OVER, says('Good day again.'));
  const handover = { persons: { say: 'I call a colleague.' } };
  const { sessionId, start } = await prepareAgent(agents, model.baseUrl, { handover });
  await using room = await recordRoom(agents, sessionId);
  const states = () => statesIn(agents, sessionId);
  await agents.open();
  await agents.until(await start(), 'Running');
  await sayIn(agents, sessionId, 'My money, please');
  await expect.poll(states).toEqual(['requested']);
  const url = `/sessions/${sessionId}/token`;
  const issued = await api.inject(ana, { method: 'POST', url, payload: { mode: 'operator' } });
  const { serverUrl, participantToken: token } = issued.json();
  await using operator = await joinRoom({ url: serverUrl, token });
  await expect.poll(states).toEqual(['requested', 'taken']);
  await sayIn(agents, sessionId, 'You get it back');
  await operator.leave();
  await expect.poll(states).toEqual(['requested', 'taken', 'done']);
  await sayIn(agents, sessionId, 'And now?');
  await expect.poll(() => room.texts).toEqual(['I call a colleague.', 'Good day again.']);
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('You get it back');
});

test('an agent that is killed while it waits for a person ends its request once it is back, and says so', async () => {
  await using agents = await openTestAgents({ limits: { restartDelaysMs: [10, 10, 10] } });
  await using model = await startScriptedModel(HAND_OVER, says('Nobody has come.'));
  const handover = { persons: { say: 'I call a colleague.' } };
  const { sessionId, start } = await prepareAgent(agents, model.baseUrl, { handover });
  await using room = await recordRoom(agents, sessionId);
  await agents.open();
  const id = await start();
  await agents.until(id, 'Running');
  await sayIn(agents, sessionId, 'My money, please');
  await expect.poll(() => statesIn(agents, sessionId)).toEqual(['requested']);
  await expect.poll(() => room.texts).toEqual(['I call a colleague.']);
  process.kill((await agents.pidOf(id)) ?? 0, 'SIGKILL');
  await expect.poll(() => statesIn(agents, sessionId)).toEqual(['requested', 'expired']);
  await expect.poll(() => room.texts).toEqual(['I call a colleague.', 'Nobody has come.']);
});

/** Returns the states of the handovers in the history of a session, in their order. */
async function statesIn({ api, ana }: TestAgents, sessionId: string): Promise<string[]> {
  const { items } = (await api.inject(ana, { url: `/sessions/${sessionId}/messages` })).json();
  const metadata = items.map((item: { metadata: unknown }) => Object(item.metadata)).toReversed();
  return metadata
    .filter(({ kind }: { kind: string }) => kind === 'handover')
    .map(({ payload }: { payload: { state: string } }) => payload.state);
}
