import { calls, holds, says, startScriptedModel, streams } from '@session/conversation/testing';
import { pause } from '@session/kit';
import { expect, test } from 'vitest';
import { statesSeenBy } from '../../testing/agent-program.ts';
import { startConversing, withoutFirstText } from '../../testing/conversing.ts';
import { HandTime } from '../../testing/hand-time.ts';
import { SlowVoice } from '../../testing/slow-voice.ts';
import type { Time } from './time.ts';

const AGENT_DEFINITION = JSON.stringify({ version: 1, tools: [], endConversation: true });
const variables = { AGENT_DEFINITION };
const end = calls(['end_conversation', { reason: 'all is said' }]);

const called = { name: 'end_conversation', arguments: '{"reason":"done"}' };
const saysGoodbye = streams(
  { content: 'Goodbye, dear Ann!' },
  { tool_calls: [{ index: 0, id: 'call-0', type: 'function', function: called }] },
);

const isEnd = (packet: unknown) => Object(packet).type === 'conversation_ended';

test('an agent reports the end after its last word, answers nothing more, and leaves', async () => {
  await using model = await startScriptedModel(end, says('Goodbye, ', 'Ann!'));
  const { agent, ann, log } = await startConversing({ model, variables });
  await ann.room.say('Bye');
  await ann.untilAnswered(1);
  await expect
    .poll(() => ann.packets().filter(isEnd))
    .toMatchObject([{ reason: 'all is said', message: 'The agent ended the conversation.' }]);
  expect(ann.answers()).toEqual(['Goodbye, Ann!']);
  await ann.room.say('Are you still there?');
  expect(log).toContain('leaving: model ended conversation');
  await agent.finish();
  await agent.done;
  expect(model.requests).toHaveLength(2);
});

test('a goodbye that takes the last tokens of the budget ends the conversation', async () => {
  await using model = await startScriptedModel(end, says('Goodbye!'));
  const budget = { ...variables, LLM_BUDGET_TOKENS: '220' };
  const { ann } = await startConversing({ model, variables: budget });
  await ann.room.say('Bye');
  await expect.poll(() => ann.packets().filter(isEnd)).toHaveLength(1);
});

test('an agent that asks for a person with its last tokens says goodbye only when nobody has come', async () => {
  const handOver = calls(['hand_over', { reason: 'wants a refund' }]);
  await using model = await startScriptedModel(handOver, says('Nobody is free.'));
  const handover = { persons: { say: 'I call a colleague.', waitSeconds: 60 } };
  const time = new HandTime();
  const { agent, ann } = await startConversing({
    model,
    variables: {
      AGENT_DEFINITION: JSON.stringify({ version: 1, tools: [], handover }),
      LLM_BUDGET_TOKENS: '110',
    },
    time,
  });
  const handovers = () =>
    ann.packets().flatMap((packet) => {
      const { type, state } = Object(packet);
      return type === 'handover' ? [state] : [];
    });
  await ann.room.say('My money, please');
  await ann.untilAnswered(1);
  await expect.poll(handovers).toEqual(['requested']);
  time.advance(59_999);
  await expect.poll(handovers).toEqual(['requested', 'requested']);
  expect(ann.answers()).toEqual(['I call a colleague.']);
  time.advance(1);
  await agent.done;
  await ann.untilAnswered(3);
  expect(ann.answers().slice(1)).toEqual(['Nobody is free.', 'Our time is over. Goodbye.']);
  expect(handovers().at(-1)).toBe('expired');
});

test('after lost words that took the last tokens, the next text has its answer before the goodbye', async () => {
  await using model = await startScriptedModel(says('Yes.'), says('Here.'));
  const { agent, ann, untilTurns } = await startConversing({
    model,
    variables: { LLM_BUDGET_TOKENS: '20' },
    wrap: withoutFirstText,
  });
  await ann.room.say('Hello');
  await untilTurns(1);
  await ann.room.say('Still there?');
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Here.', 'Our time is over. Goodbye.']);
  await agent.done;
});

test('the end is reported again under its id, for a minute, until the service stops the agent', async () => {
  await using model = await startScriptedModel(end, says('Goodbye!'));
  const pauses: number[] = [];
  const time: Time = {
    now: () => performance.now(),
    pause: async (ms, signal) => {
      if (ms === 5000) pauses.push(ms);
      return await pause(ms === 5000 ? 0 : ms, signal);
    },
  };
  const { agent, ann } = await startConversing({ model, variables, time });
  await ann.room.say('Bye');
  await agent.done;
  expect(pauses).toHaveLength(12);
  await expect.poll(() => ann.packets().filter(isEnd)).toHaveLength(12);
  const ids = ann
    .packets()
    .filter(isEnd)
    .map((packet) => Object(packet).id);
  expect(new Set(ids).size).toBe(1);
});

test('a text over the last words keeps the agent in the room', async () => {
  const goodbye = holds('Good');
  await using model = await startScriptedModel(end, goodbye.reply, says('Yes?'));
  const { ann, agent } = await startConversing({ model, variables });
  await ann.room.say('Bye');
  await expect.poll(() => model.requests.length).toBe(2);
  goodbye.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  await ann.room.say('Wait');
  await expect.poll(() => ann.answers().at(-1)).toBe('Yes?');
  await agent.finish();
  const kinds = ann.packets().map((packet) => Object(packet).type);
  expect(kinds).not.toContain('conversation_ended');
});

test('a person who begins to speak at the end of the spoken goodbye keeps the agent', async () => {
  await using model = await startScriptedModel(saysGoodbye, says('Yes?'));
  const [voice, time] = [new SlowVoice(), new HandTime()];
  const { agent, ann, untilTurns } = await startConversing({ model, variables, voice, time });
  agent.hear({ text: 'Bye', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(3);
  time.advance(1);
  agent.noticeSpeech();
  await voice.speak(3);
  await untilTurns(1);
  await expect.poll(() => statesSeenBy(ann)).toEqual(['listening']);
  time.advance(7999);
  agent.hear({ text: 'Wait', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(1);
  await voice.speak(1);
  await ann.untilAnswered(2);
  expect(ann.packets().filter(isEnd)).toEqual([]);
});

test('a noise at the end of the spoken goodbye delays the end by 5 s after the longest pause of a turn', async () => {
  await using model = await startScriptedModel(saysGoodbye);
  const [voice, time] = [new SlowVoice(), new HandTime()];
  const { agent, ann, untilTurns } = await startConversing({ model, variables, voice, time });
  agent.hear({ text: 'Bye', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(3);
  time.advance(1);
  agent.noticeSpeech();
  await voice.speak(3);
  await untilTurns(1);
  await expect.poll(() => statesSeenBy(ann)).toEqual(['listening']);
  time.advance(8000);
  await expect.poll(() => ann.packets().filter(isEnd)).toHaveLength(1);
});

test('a person who talks over the spoken goodbye keeps the agent, though its model is done', async () => {
  await using model = await startScriptedModel(saysGoodbye, says('Yes?'));
  const voice = new SlowVoice();
  const { agent, ann, untilTurns } = await startConversing({ model, variables, voice });
  agent.hear({ text: 'Bye', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(3);
  await voice.speak(1);
  agent.interrupt();
  await untilTurns(1);
  agent.hear({ text: 'Wait', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(1);
  await voice.speak(1);
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Goodbye, ', 'Yes?']);
  expect(ann.packets().filter(isEnd)).toEqual([]);
});
