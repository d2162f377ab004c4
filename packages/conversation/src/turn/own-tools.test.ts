import { expect, test } from 'vitest';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import {
  calls,
  cutCall,
  fails,
  holds,
  type ScriptedModel,
  says,
  startScriptedModel,
  streams,
} from '../../testing/scripted-model.ts';
import { messagesOf } from '../../testing/tools.ts';
import {
  type HandoverSettings,
  type PersonSettings,
  readOwnToolSettings,
} from '../tools/own-tool-settings.ts';

const END = ['end_conversation', { reason: 'booked' }] as const;

const HAND_OVER = ['hand_over', { reason: 'wants a refund' }] as const;
const HANDED_OVER = { kind: 'handover', reason: 'wants a refund' };

const openHandover = (
  model: ScriptedModel,
  persons: PersonSettings,
  agents: HandoverSettings['agents'] = [],
) =>
  openConversation(model, {
    plan: undefined,
    ownTools: { endConversation: false, handover: { persons, agents } },
  });

const openTalk = (model: ScriptedModel) =>
  openConversation(model, { plan: undefined, ownTools: { endConversation: true } });

/** Speaks and ends the conversation in one answer. */
function saysAndEnds(words: string, reason: unknown) {
  const called = { name: 'end_conversation', arguments: JSON.stringify({ reason }) };
  return streams(
    { content: words },
    { tool_calls: [{ index: 0, id: 'call-0', type: 'function', function: called }] },
  );
}

const toolNames = ({ requests }: ScriptedModel, index: number) =>
  JSON.stringify(requests.at(index)?.body['tools'] ?? []).match(/"name":"\w+"/g) ?? [];

const settingsOf = (definition?: object) =>
  readOwnToolSettings(definition ? { AGENT_DEFINITION: JSON.stringify(definition) } : {});

test('a model that ends the conversation says goodbye in its next words, and can call no more', async () => {
  await using model = await startScriptedModel(calls(END), says('Goodbye!'));
  await using talk = openTalk(model);
  const turn = await talk.say('Thanks, bye');
  expect([turn.text, turn.order]).toEqual(['Goodbye!', ['text', 'answered', 'end']]);
  expect(talk.conversation.takeAct()).toEqual({ kind: 'conversation_ended', reason: 'booked' });
  expect(talk.conversation.takeAct()).toBeUndefined();
  expect([toolNames(model, 0), toolNames(model, 1)]).toEqual([['"name":"end_conversation"'], []]);
  expect(messagesOf(model, -1)).toContain('Say goodbye in one short sentence');
});

test('words in the same answer are the goodbye: the model is not asked again', async () => {
  await using model = await startScriptedModel(saysAndEnds('Goodbye, Ann!', 'booked'));
  await using talk = openTalk(model);
  expect(await talk.say('Bye')).toMatchObject({
    text: 'Goodbye, Ann!',
    record: { outcome: 'complete', modelCalls: 1 },
  });
  expect(talk.conversation.takeAct()).toEqual({ kind: 'conversation_ended', reason: 'booked' });
});

test.for([
  ['a huge reason', 'x'.repeat(100_000), `${'x'.repeat(199)}…`],
  ['several lines', 'a\nb\0c', 'a b c'],
  ['no text', { a: 1 }, ''],
] as const)('%s as a reason is bounded', async ([, reason, expected]) => {
  await using model = await startScriptedModel(saysAndEnds('Goodbye!', reason));
  await using talk = openTalk(model);
  await talk.say('Bye');
  expect(talk.conversation.takeAct()).toEqual({ kind: 'conversation_ended', reason: expected });
});

test.each([
  ['end_conversation', '{"reason": "bo'],
  ['hand_over', '["x"]'],
])('a call of %s with arguments that are cut or no object does nothing', async (name, json) => {
  await using model = await startScriptedModel(cutCall(name, json), says('Anything else?'));
  const handover = { persons: { say: 'I call a colleague.', waitMs: 1 }, agents: [] };
  const ownTools = { endConversation: true, handover };
  await using talk = openConversation(model, { plan: undefined, ownTools });
  expect((await talk.say('Well')).text).toBe('Anything else?');
  expect(messagesOf(model, -1)).toContain('The arguments must be a JSON object.');
  expect(talk.conversation.takeAct()).toBeUndefined();
});

test('a person who speaks before the goodbye is over goes on with the conversation', async () => {
  const goodbye = holds('Good');
  await using model = await startScriptedModel(calls(END), goodbye.reply, says('Of course.'));
  await using talk = openTalk(model);
  const interruption = new AbortController();
  const turn = readTurn(talk.conversation.answer([{ text: 'Bye' }], interruption.signal));
  await expect.poll(() => model.requests.length).toBe(2);
  goodbye.words();
  interruption.abort();
  expect((await turn).record).toMatchObject({ outcome: 'interrupted' });
  expect(talk.conversation.takeAct()).toBeUndefined();
  expect((await talk.say('One more thing')).text).toBe('Of course.');
  expect(talk.conversation.takeAct()).toBeUndefined();
});

test('a goodbye that fails ends nothing', async () => {
  await using model = await startScriptedModel(calls(END), fails(400));
  await using talk = openTalk(model);
  await talk.say('Bye');
  expect(talk.conversation.takeAct()).toBeUndefined();
});

test('a model that hands over says so in the words of its template, and is not asked again', async () => {
  await using model = await startScriptedModel(calls(HAND_OVER));
  await using talk = openHandover(model, { say: 'I call a colleague.', waitMs: 1 });
  expect(await talk.say('My money!')).toMatchObject({
    text: 'I call a colleague.',
    record: { outcome: 'complete', modelCalls: 1 },
  });
  expect(talk.conversation.takeAct()).toEqual(HANDED_OVER);
  expect(toolNames(model, 0)).toEqual(['"name":"hand_over"']);
});

test('without words of its template a model that hands over finds its own, and an interruption takes nothing back', async () => {
  const words = holds('I');
  await using model = await startScriptedModel(calls(HAND_OVER), words.reply);
  await using talk = openHandover(model, { waitMs: 1 });
  const interruption = new AbortController();
  const turn = readTurn(talk.conversation.answer([{ text: 'My money!' }], interruption.signal));
  await expect.poll(() => model.requests.length).toBe(2);
  expect(messagesOf(model, -1)).toContain('Tell the user so in one short sentence');
  interruption.abort();
  expect(await turn).toMatchObject({
    notices: [expect.stringContaining('I am calling')],
    record: { outcome: 'interrupted' },
  });
  expect(talk.conversation.takeAct()).toEqual(HANDED_OVER);
});

test('a model that fails after it has handed over is silent after a set phrase, without an apology', async () => {
  await using model = await startScriptedModel(calls(HAND_OVER), fails(400));
  await using talk = openHandover(model, { waitMs: 1 });
  expect((await talk.say('My money!')).notices).toEqual([expect.stringContaining('I am calling')]);
  expect(talk.conversation.retryAt).toBeUndefined();
});

test('nobody is called aloud once an operator has come', async () => {
  const words = holds('I');
  await using model = await startScriptedModel(calls(HAND_OVER), words.reply);
  await using talk = openHandover(model, { waitMs: 1 });
  const interruption = new AbortController();
  const turn = readTurn(talk.conversation.answer([{ text: 'My money!' }], interruption.signal));
  await expect.poll(() => model.requests.length).toBe(2);
  talk.conversation.noteOperator(true);
  interruption.abort();
  expect((await turn).notices).toEqual([]);
});

test('a model that goes on because nobody came cannot call a person again', async () => {
  await using model = await startScriptedModel(calls(HAND_OVER), says('Nobody is free.'));
  const ownTools = {
    endConversation: true,
    handover: { persons: { say: 'I call a colleague.', waitMs: 1 }, agents: [] },
  };
  await using talk = openConversation(model, { plan: undefined, ownTools });
  const turn = await readTurn(talk.conversation.resume([], new AbortController().signal));
  expect(turn.text).toBe('Nobody is free.');
  expect(toolNames(model, 0)).toEqual(['"name":"end_conversation"']);
  expect(talk.conversation.takeAct()).toBeUndefined();
});

test('a model hands over to an agent that its template names, in its own words', async () => {
  const agents = [
    { agentTemplateId: 'a', name: 'Sales', description: 'Knows prices.' },
    { agentTemplateId: 'b', name: 'Service' },
  ];
  const wrong = calls(['hand_over', { to: 'Nobody', reason: 'x' }]);
  const right = calls(['hand_over', { to: 'sales', reason: 'wants a price' }]);
  await using model = await startScriptedModel(wrong, right, says('Sales goes on.'));
  const ownTools = { endConversation: false, handover: { agents } };
  await using talk = openConversation(model, { plan: undefined, ownTools });
  expect((await talk.say('What does it cost?')).text).toBe('Sales goes on.');
  expect(messagesOf(model, 1)).toContain('There is no such agent');
  expect(messagesOf(model, -1)).toContain('handed over to another agent after your next words');
  expect(JSON.stringify(model.requests[0]?.body['tools'])).toContain('"enum":["Sales","Service"]');
  const to = { agentTemplateId: 'a', name: 'Sales' };
  const act = { kind: 'handover', reason: 'wants a price', to };
  expect(talk.conversation.takeAct()).toEqual(act);
});

test('a model that may hand over to agents and to persons calls a person by that name alone', async () => {
  const wrong = ['Suport', undefined].map((to) => calls(['hand_over', { to, reason: 'x' }]));
  const right = calls(['hand_over', { to: 'Person', reason: 'wants a refund' }]);
  await using model = await startScriptedModel(...wrong, right);
  const agents = [{ agentTemplateId: 'a', name: 'Support' }];
  await using talk = openHandover(model, { say: 'I call a colleague.', waitMs: 1 }, agents);
  expect((await talk.say('My money!')).text).toBe('I call a colleague.');
  expect(messagesOf(model, 2).match(/There is no such agent/g)).toHaveLength(2);
  expect(talk.conversation.takeAct()).toEqual(HANDED_OVER);
});

test('a model that hands over to something that is not a name gets an error', async () => {
  const wrong = calls(['hand_over', { to: { toString: 1 }, reason: 'x' }]);
  await using model = await startScriptedModel(wrong, says('One moment.'));
  const agents = [{ agentTemplateId: 'a', name: 'Support' }];
  await using talk = openHandover(model, { waitMs: 1 }, agents);
  expect((await talk.say('My money!')).text).toBe('One moment.');
  expect(messagesOf(model, 1)).toContain('There is no such agent');
});

test('without the permission the model has no such tool, and a call of it ends nothing', async () => {
  await using model = await startScriptedModel(saysAndEnds('Bye.', 'booked'));
  await using talk = openConversation(model, { plan: undefined });
  expect((await talk.say('Bye')).text).toBe('Bye.');
  expect([toolNames(model, 0), talk.conversation.takeAct()]).toEqual([[], undefined]);
});

test('the permission comes from the definition of the agent', () => {
  const none = { endConversation: false, isNamedOnly: false };
  expect(settingsOf()).toEqual(none);
  expect(settingsOf({ version: 1, tools: [] })).toEqual(none);
  const allowed = { version: 1, tools: [], endConversation: true };
  expect(settingsOf(allowed)).toEqual({ ...none, endConversation: true });
  const handover = { persons: { say: 'Wait.' } };
  expect(settingsOf({ version: 1, tools: [], handover })).toEqual({
    ...none,
    handover: { persons: { say: 'Wait.', waitMs: 120_000 }, agents: [] },
  });
  expect(() => settingsOf({ ...allowed, endConversation: 'x' })).toThrow(
    'AGENT_DEFINITION is not valid',
  );
});
