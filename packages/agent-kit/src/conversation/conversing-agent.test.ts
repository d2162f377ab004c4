import { begin, type Reply, says, startScriptedModel } from '@session/conversation/testing';
import { readAnswers } from '@session/media';
import { expect, test } from 'vitest';
import { startConversing, withoutFirstText } from '../../testing/conversing.ts';
import { SlowVoice } from '../../testing/slow-voice.ts';

const silent: Reply = (response) => begin(response);

test('an answer that is interrupted while it is spoken ends with what was heard, in the room and in the next prompt', async () => {
  await using model = await startScriptedModel(says('One ', 'two ', 'drei.'), says('Yes.'));
  const voice = new SlowVoice();
  const { agent, ann, turns } = await startConversing({ model, voice });
  agent.hear({ text: 'Count', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(3);
  await voice.speak(2);
  agent.interrupt();
  await ann.untilAnswered(1);
  agent.hear({ text: 'Go on', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(1);
  await voice.speak(1);
  await ann.untilAnswered(2);
  expect(ann.streams()).toMatchObject([
    { text: 'One two ', hasEnded: true, attributes: { 'session.interrupted': 'true' } },
    { text: 'Yes.', hasEnded: true },
  ]);
  expect(ann.streams()[1]?.attributes).not.toHaveProperty(['session.interrupted']);
  const prompt = JSON.stringify(model.requests[1]?.body['messages']);
  expect(prompt).toMatch(/Count.*One two ….*Go on/);
  expect(prompt).not.toContain('drei');
  await expect.poll(turns).toMatchObject([{ interrupted: true }, { interrupted: false }]);
});

test('an answer after an interruption is spoken, also where the interrupted one held only blanks', async () => {
  await using model = await startScriptedModel(says('\n'), silent, says('Yes.'));
  const voice = new SlowVoice();
  const { agent, ann } = await startConversing({ model, voice });
  agent.hear({ text: 'Hello', speaker: 'Ann' });
  await expect.poll(() => model.requests).toHaveLength(2);
  agent.hear({ text: 'Are you there?', speaker: 'Ann' });
  await expect.poll(() => voice.waiting).toBe(1);
  await voice.speak(1);
  await ann.untilAnswered(1);
  expect(ann.streams()).toMatchObject([{ text: 'Yes.' }]);
});

test('the log has a line for each turn: JSON with times and tokens, and without a word', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  const { ann, log, turns } = await startConversing({ model });
  await ann.room.say('a planted word');
  await expect.poll(turns).toHaveLength(1);
  const time = expect.any(Number);
  expect(turns()[0]).toEqual({
    outcome: 'complete',
    interrupted: false,
    endOfTurnMs: time,
    firstTokenMs: time,
    firstWordsMs: time,
    durationMs: time,
    modelCalls: 1,
    promptTokens: 100,
    completionTokens: 10,
  });
  expect(log.join('\n')).not.toMatch(/planted|morning/);
});

test('an answer that reaches nobody is tried again, and the text of the person is not', async () => {
  await using model = await startScriptedModel(says('Lost.'), says('Found.'));
  const { ann, log } = await startConversing({ model, wrap: withoutFirstText });
  const id = await ann.room.say('Hello');
  await ann.untilAnswered(1);
  expect(ann.answers()).toEqual(['Found.']);
  expect(log).toContainEqual(expect.stringMatching(/^sending answer failed: /));
  // A client that saw no confirmation sends its text again.
  await ann.room.sendPacket({ type: 'user_text', data: 'Hello', id });
  await ann.room.say('And now?');
  await ann.untilAnswered(2);
  expect(JSON.stringify(model.requests[2]?.body['messages']).match(/Hello/g)).toHaveLength(1);
});

test('an agent that is told to stop says its sentence to the end, and then that it leaves', async () => {
  await using model = await startScriptedModel(says('One ', 'two.'));
  const voice = new SlowVoice();
  const { agent, ann } = await startConversing({ model, voice });
  agent.hear({ text: 'Count' });
  await expect.poll(() => voice.waiting).toBe(2);
  const finished = agent.finish();
  await voice.speak(2);
  await finished;
  await ann.untilAnswered(1);
  expect(ann.streams()).toMatchObject([{ text: 'One two.' }]);
  expect(ann.streams()[0]?.attributes).not.toHaveProperty(['session.interrupted']);
  await expect.poll(ann.packets).toContainEqual(expect.objectContaining({ state: 'stopping' }));
});

test('an answer names each text that it answers, also one whose own answer was interrupted before its first word', async () => {
  await using model = await startScriptedModel(silent, says('Both.'), says('Again.'));
  const { ann } = await startConversing({ model });
  const first = await ann.room.say('the first text');
  await expect.poll(() => model.requests).toHaveLength(1);
  const second = await ann.room.say('the second text');
  await ann.untilAnswered(1);
  const third = await ann.room.say('the third text');
  await ann.untilAnswered(2);
  const named = ann.streams().map(({ attributes }) => readAnswers(attributes).map(({ id }) => id));
  expect(named).toEqual([[first, second], [third]]);
});
