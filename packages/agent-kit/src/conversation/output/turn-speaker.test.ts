import {
  begin,
  holds,
  type Reply,
  says,
  sendWords,
  stalls,
  startScriptedModel,
} from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { statesSeenBy } from '../../../testing/agent-program.ts';
import { startConversing } from '../../../testing/conversing.ts';

/** Says two words, and breaks the connection. */
const breaks: Reply = (response) => {
  begin(response);
  sendWords(response, 'I think');
  setTimeout(() => response.destroy(), 50);
};

test('a new text aborts the answer that is being sent: its words stay and are marked, and both texts are in the next prompt', async () => {
  await using model = await startScriptedModel(stalls, says('Both.'));
  const { ann } = await startConversing({ model });
  await ann.room.say('the first text');
  await expect.poll(() => statesSeenBy(ann)).toContain('speaking');
  await ann.room.say('the second text');
  await ann.untilAnswered(2);
  await expect.poll(() => model.requests[0]?.gone.aborted).toBe(true);
  expect(ann.streams()).toMatchObject([
    { text: 'One moment', hasEnded: true, attributes: { 'session.interrupted': 'true' } },
    { text: 'Both.', hasEnded: true },
  ]);
  expect(ann.streams()[1]?.attributes).not.toHaveProperty(['session.interrupted']);
  const prompt = JSON.stringify(model.requests[1]?.body['messages']);
  expect(prompt).toMatch(/the first text.*One moment.*the second text/);
  const states = ann.packets().filter((packet) => JSON.stringify(packet).includes('interrupted'));
  expect(states).toMatchObject([{ type: 'state_change_notification', state: 'interrupted' }]);
});

test('an answer that the model breaks off is marked, a sentence says so, and the next text is answered', async () => {
  await using model = await startScriptedModel(breaks, says('Yes.'));
  const { ann } = await startConversing({ model });
  await ann.room.say('one');
  await ann.untilAnswered(2);
  await ann.room.say('two');
  await ann.untilAnswered(3);
  expect(ann.answers()).toEqual(['I think', 'Sorry, I lost my train of thought.', 'Yes.']);
  const marks = ann.streams().map(({ attributes }) => attributes['session.truncated']);
  expect(marks).toEqual(['true', undefined, undefined]);
});

test('the room sees whether the agent listens, thinks or speaks', async () => {
  const { reply, words, end } = holds('Good morning.');
  await using model = await startScriptedModel(reply);
  const { ann } = await startConversing({ model });
  const state = () => statesSeenBy(ann);
  await expect.poll(state).toEqual(['listening']);
  await ann.room.say('one');
  await expect.poll(state).toEqual(['thinking']);
  words();
  await expect.poll(state).toEqual(['speaking']);
  end();
  await expect.poll(state).toEqual(['listening']);
});
