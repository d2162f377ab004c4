import { expect, test } from 'vitest';
import { openConversation } from '../../testing/read-turn.ts';
import { calls, type Reply, says, startScriptedModel } from '../../testing/scripted-model.ts';

const FAREWELL = 'Our time is over. Goodbye.';

test('after a summary that takes the last tokens, the next text has its answer before the farewell', async () => {
  const summary = Promise.withResolvers<void>();
  const reply: Reply = async (response, request) => {
    if (JSON.stringify(request.body).includes('Summarise')) await summary.promise;
    await says('Yes.')(response, request);
  };
  await using model = await startScriptedModel(reply);
  const history = Array.from({ length: 20 }, () => ({
    kind: 'user' as const,
    text: 'x'.repeat(900),
    isOverheard: true,
  }));
  const limits = { contextTokens: 4096, maxOutputTokens: 64, budgetTokens: 220 };
  await using talk = openConversation(model, { plan: undefined, history }, limits);
  expect((await talk.say('Hello')).notices).toEqual([]);
  summary.resolve();
  await expect.poll(() => talk.conversation.usage.promptTokens).toBe(200);
  expect(talk.conversation.isBudgetSpent).toBe(false);
  expect(await talk.say('And now?')).toMatchObject({ text: 'Yes.', notices: [FAREWELL] });
  expect(talk.conversation.isBudgetSpent).toBe(true);
});

test('after a handover that takes the last tokens, the next turn says farewell and hands over no more', async () => {
  await using model = await startScriptedModel(calls(['hand_over', { reason: 'x' }]), says('Yes.'));
  const handover = { persons: { say: 'I call a colleague.', waitMs: 1 }, agents: [] };
  const ownTools = { endConversation: false, handover };
  const budget = { budgetTokens: 110 };
  await using talk = openConversation(model, { plan: undefined, ownTools }, budget);
  expect((await talk.say('My money!')).notices).toEqual([]);
  expect(talk.conversation.takeAct()).toMatchObject({ kind: 'handover' });
  expect(talk.conversation.isBudgetSpent).toBe(false);
  expect(await talk.say('And now?')).toMatchObject({ text: 'Yes.', notices: [FAREWELL] });
  expect(model.requests[1]?.body).not.toHaveProperty('tools');
  expect(talk.conversation.isBudgetSpent).toBe(true);
});
