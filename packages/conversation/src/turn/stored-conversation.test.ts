import { foldState } from '@session/contract/room';
import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { AT, BOOKING, begun, stored } from '../../testing/plans.ts';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import { says, startScriptedModel } from '../../testing/scripted-model.ts';
import { readConversationVariable } from './stored-conversation.ts';

const LINES = [
  { id: 'm1', role: 'user', identity: 'user-ann', name: 'Ann', content: 'Hello', at: AT },
  { id: 'm2', role: 'assistant', content: 'Welc', at: AT, interrupted: true },
  { id: 'm3', role: 'user', name: 'Ann', content: 'I am Ann', at: '2026-11-24T08:00:01.000Z' },
  { id: 'm4', role: 'user', content: 'Hello?', at: '2026-11-24T08:00:02.000Z' },
];

function variable(history: readonly unknown[] = LINES): string {
  const { machine, events } = begun();
  events.push(
    ...machine.call('set_deliverable', { deliverable: 'customer', value: 'Ann' }, AT).events,
  );
  events.push(...machine.call('complete_step', { step: 'name' }, AT).events);
  return JSON.stringify({ history, state: foldState(stored(events)), truncated: false });
}

test('what was said and the state of the plan come back', () => {
  const conversation = readConversationVariable(variable());
  expect(conversation.history).toEqual([
    { kind: 'user', text: 'Hello', speaker: 'Ann', identity: 'user-ann' },
    { kind: 'answer', text: 'Welc', isInterrupted: true },
    { kind: 'user', text: 'I am Ann', speaker: 'Ann' },
    { kind: 'user', text: 'Hello?', speaker: undefined },
  ]);
  expect(conversation.answered).toEqual([
    { id: 'm1', identity: 'user-ann', content: 'Hello' },
    { id: 'm2', identity: null, content: 'Welc' },
  ]);
  expect(conversation.unanswered).toEqual({
    messages: [
      { id: 'm3', identity: null, content: 'I am Ann' },
      { id: 'm4', identity: null, content: 'Hello?' },
    ],
    at: '2026-11-24T08:00:02.000Z',
  });
  expect(conversation.plans).toMatchObject([{ id: BOOKING.id, revision: 3 }]);
});

test('an agent that takes over knows from whom and why, and that it is no newcomer', () => {
  const takenOver = {
    id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4afe',
    from: 'agent-light-agent-0a1b2c3d',
    to: { agentTemplateId: 'a', name: 'Sales' },
    reason: 'wants a price',
  };
  const text = JSON.stringify({ ...JSON.parse(variable()), takenOver });
  const conversation = readConversationVariable(text);
  expect(conversation.takenOver).toEqual(takenOver);
  expect(conversation.history.at(-1)).toMatchObject({
    kind: 'note',
    text: expect.stringMatching(/greet nobody as if .* as data: wants a price/),
  });
});

test.each([
  [[], undefined],
  [LINES.slice(0, 2), undefined],
  [LINES.slice(0, 1), { messages: [{ id: 'm1', identity: 'user-ann', content: 'Hello' }], at: AT }],
])('of %j the unanswered are %j', (history, unanswered) => {
  expect(readConversationVariable(variable(history)).unanswered).toEqual(unanswered);
});

test.each([
  ['started', ['m1'], ['user', 'answer', 'note']],
  ['done', undefined, ['user', 'note', 'answer']],
])('of a half answer before a call that is %s, the unanswered are %j', (state, ids, kinds) => {
  const calls = [{ tool: 'book', at: '2026-11-24T08:00:00.500Z', state }];
  const [question, answer] = LINES;
  // An answer has the time of its end.
  const lines = [question, { ...answer, at: '2026-11-24T08:00:00.900Z' }];
  const text = JSON.stringify({ ...JSON.parse(variable(lines)), calls });
  const { history, answered, unanswered } = readConversationVariable(text);
  expect(history.map(({ kind }) => kind)).toEqual(kinds);
  expect(unanswered?.messages.map(({ id }) => id)).toEqual(ids);
  expect(answered.map(({ id }) => id)).toEqual(['m1', 'm2']);
});

test('what an operator said answers what was said before', () => {
  const identity = `user-${crypto.randomUUID()}-operator-0a1b2c`;
  const [question, , more] = LINES;
  const answer = { id: 'm5', role: 'user', identity, content: 'I pay', at: more?.at };
  const { unanswered } = readConversationVariable(variable([question, answer]));
  expect(unanswered).toBeUndefined();
});

test('a text that interrupted an answer stands after it, and is unanswered until a later answer', () => {
  const [question, answer, interruption] = LINES;
  const said = [question, interruption, { ...answer, at: '2026-11-24T08:00:01.500Z' }];
  const cut = readConversationVariable(variable(said));
  expect(cut.history.map(({ kind }) => kind)).toEqual(['user', 'answer', 'user']);
  expect(cut.unanswered?.messages).toMatchObject([{ content: 'I am Ann' }]);
  const whole = [question, interruption, { ...answer, interrupted: false }];
  expect(readConversationVariable(variable(whole)).unanswered).toBeUndefined();
  const together = [question, { ...interruption, at: AT }, answer];
  expect(readConversationVariable(variable(together)).unanswered).toBeUndefined();
});

test('what nobody has answered is answered after the restart, at the same step, without a greeting', async () => {
  const { history, plans } = readConversationVariable(variable());
  await using model = await startScriptedModel(says('Sorry, Ann. Which room?'));
  await using talk = openConversation(model, { history, planState: plans[0] });
  expect(talk.conversation.begin()).toMatchObject([{ state: 'ready' }]);
  const turn = await readTurn(talk.conversation.answer([], new AbortController().signal));
  expect(turn.text).toBe('Sorry, Ann. Which room?');
  expect(model.requests[0]?.body['messages']).toMatchObject([
    { content: expect.stringContaining('Current step:\nid: room.kind') },
    { content: '[Stored values, as data: {"customer":"Ann"}]\n\nAnn: Hello' },
    { content: 'Welc …' },
    { content: 'Ann: I am Ann\n\n(no name): Hello?' },
  ]);
});

test.each(['', 'planted', '[]', '{"history":[]}', '{"history":[{"id":1}],"state":{"plans":[]}}'])(
  '%j is refused, and not repeated',
  (text) => {
    expect(() => readConversationVariable(text)).toThrow(
      new StartError('CONVERSATION is not valid. Leave it unset: the platform sets it.'),
    );
  },
);

test('calls of tools stand where they were made, and the model reads which of them may have been carried out', () => {
  const call = { tool: 'book', arguments: { day: '1' } };
  const calls = [
    { ...call, at: '2026-11-24T08:00:00.500Z', state: 'done', result: '{"booked":\ntrue}' },
    { ...call, at: '2026-11-24T08:00:03.000Z', state: 'started' },
  ];
  const text = JSON.stringify({ ...JSON.parse(variable()), calls });
  const conversation = readConversationVariable(text);
  expect(conversation.calls).toEqual(calls);
  expect(conversation.history.map(({ kind }) => kind)).toEqual([
    'user',
    'answer',
    'note',
    'user',
    'user',
    'note',
  ]);
  expect(conversation.history[2]).toMatchObject({
    text: '[You called book with {"day":"1"}, as data: done. Result, as data: {"booked": true}]',
  });
  expect(conversation.history[5]).toMatchObject({
    text: expect.stringContaining('no result has come: it may have been carried out'),
  });
  expect(conversation.unanswered?.messages).toHaveLength(2);
});
