import { expect, test } from 'vitest';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  calls,
  finish,
  type Reply,
  says,
  send,
  stalls,
  startScriptedModel,
} from '../../testing/scripted-model.ts';

const thinks: Reply = (response) => {
  begin(response);
  send(response, { choices: [{ index: 0, delta: { reasoning_content: 'Hm.' } }] });
};

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

test('an answer that takes the last tokens while an operator comes says no farewell, and the next one does', async () => {
  await using model = await startScriptedModel(stalls, says('Yes.'));
  await using talk = openConversation(model, {}, { budgetTokens: 20 });
  const { conversation } = talk;
  const interruption = new AbortController();
  const types: string[] = [];
  for await (const output of conversation.answer([{ text: 'Hello' }], interruption.signal)) {
    types.push(output.type);
    if (output.type !== 'text') continue;
    interruption.abort();
    conversation.noteOperator(true);
  }
  expect(types).not.toContain('notice');
  expect(conversation.usage.promptTokens).toBeGreaterThan(20);
  expect(conversation.isBudgetSpent).toBe(false);
  conversation.noteOperator(false);
  expect(await talk.say('And now?')).toMatchObject({ text: 'Yes.', notices: [FAREWELL] });
});

test('an answer that is interrupted before its first word says no farewell, and the next one does', async () => {
  const handOver = calls(['hand_over', { reason: 'x' }]);
  await using model = await startScriptedModel(handOver, () => {}, says('Yes.'));
  const handover = { persons: { say: 'I call a colleague.', waitMs: 1 }, agents: [] };
  const ownTools = { endConversation: false, handover };
  const budget = { budgetTokens: 110 };
  await using talk = openConversation(model, { plan: undefined, ownTools }, budget);
  const { conversation } = talk;
  await talk.say('My money!');
  conversation.takeAct();
  const interruption = new AbortController();
  const turn = readTurn(conversation.answer([{ text: 'Hello?' }], interruption.signal));
  await expect.poll(() => model.requests.length).toBe(2);
  interruption.abort();
  expect(await turn).toMatchObject({ notices: [], record: { outcome: 'interrupted' } });
  expect(conversation.isBudgetSpent).toBe(false);
  expect(await talk.say('Are you there?')).toMatchObject({ text: 'Yes.', notices: [FAREWELL] });
});

test('a farewell during which an operator comes is said again after the operator', async () => {
  await using model = await startScriptedModel(says('Yes.'));
  await using talk = openConversation(model, {}, { budgetTokens: 20 });
  const { conversation } = talk;
  const notices: string[] = [];
  for await (const output of conversation.answer([{ text: 'Hello' }], AbortSignal.any([]))) {
    if (output.type !== 'notice') continue;
    notices.push(output.text);
    conversation.noteOperator(true);
  }
  expect([notices, conversation.isBudgetSpent]).toEqual([[FAREWELL], false]);
  conversation.noteOperator(false);
  expect(await talk.say('And now?')).toMatchObject({ text: 'Yes.', notices: [FAREWELL] });
});

test('requests that a model spends on thoughts alone take tokens of the budget', async () => {
  await using model = await startScriptedModel(async (response, request) => {
    await thinks(response, request);
    finish(response, 'length');
  });
  await using talk = openConversation(model, {}, { budgetTokens: 220 });
  const turn = await talk.say('Hello');
  expect(turn.record).toMatchObject({
    outcome: 'failed',
    detail: 'the answer is cut before its first word',
    promptTokens: 200,
    completionTokens: 20,
  });
  expect(turn.notices.at(-1)).toBe(FAREWELL);
  expect(talk.conversation.isBudgetSpent).toBe(true);
});

test('a greeting that spends the last tokens on thoughts alone is the set one, and the next turn says farewell', async () => {
  await using model = await startScriptedModel(async (response, request) => {
    await thinks(response, request);
    finish(response, 'length');
  });
  await using talk = openConversation(model, {}, { budgetTokens: 220 });
  const greeting = await readTurn(talk.conversation.greet(new AbortController().signal));
  expect(greeting).toMatchObject({ text: 'Hello! How can I help you?', notices: [] });
  expect(talk.conversation.usage.promptTokens).toBe(200);
  expect(talk.conversation.isBudgetSpent).toBe(false);
  expect((await talk.say('Hello')).notices.at(-1)).toBe(FAREWELL);
});

test('a request that breaks off in its thoughts takes tokens, by estimate, and one before them none', async () => {
  const error = { error: { code: 500 } };
  await using model = await startScriptedModel(async (response, request) => {
    await thinks(response, request);
    send(response, error);
  });
  await using silent = await startScriptedModel((response) => {
    begin(response);
    send(response, error);
  });
  await using talk = openConversation(model);
  await using other = openConversation(silent);
  const { promptTokens = 0 } = (await talk.say('Hello')).record ?? {};
  expect(promptTokens).toBeGreaterThan(100);
  expect((await other.say('Hello')).record).toMatchObject({ modelCalls: 1, promptTokens: 0 });
});
