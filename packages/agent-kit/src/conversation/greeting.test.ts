import { randomUUID } from 'node:crypto';
import { encodePacket, type RoomEvent } from '@session/contract/room';
import { holds, says, startScriptedModel } from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { statesSeenBy } from '../../testing/agent-program.ts';
import { startConversing } from '../../testing/conversing.ts';

// An empty variable counts as not set: the model greets.
const variables = { GREETING: '' };

test('a text that waits when the agent comes is answered without a greeting that nobody has heard', async () => {
  const greeting = holds('Hello, how can I help you?');
  await using model = await startScriptedModel(greeting.reply, says('Noted.'));
  const { agent, ann } = await startConversing({ model, variables });
  await expect.poll(() => model.requests).toHaveLength(1);
  agent.receive(missed('My key is lost'));
  await ann.untilAnswered(1);
  expect(ann.streams()).toMatchObject([{ text: 'Noted.', hasEnded: true }]);
  expect(model.requests[0]?.gone.aborted).toBe(true);
});

test('a greeting that people hear already is said to its end, and then the text that waited is answered', async () => {
  const greeting = holds('Hello, how can I help you?');
  await using model = await startScriptedModel(greeting.reply, says('Noted.'));
  const { agent, ann } = await startConversing({ model, variables });
  greeting.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  agent.receive(missed('My key is lost'));
  greeting.end();
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Hello, how can I help you?', 'Noted.']);
  for (const { attributes } of ann.streams()) {
    expect(attributes).not.toHaveProperty(['session.interrupted']);
  }
});

test('a text that people write while the agent greets still interrupts it', async () => {
  const greeting = holds('Hello, how can');
  await using model = await startScriptedModel(greeting.reply, says('Noted.'));
  const { ann } = await startConversing({ model, variables });
  greeting.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  await ann.room.say('My key is lost');
  await ann.untilAnswered(2);
  expect(ann.streams()[0]?.attributes).toHaveProperty(['session.interrupted'], 'true');
});

/** Returns a text as the API sends it again to an agent that has just joined. */
function missed(data: string): RoomEvent {
  const payload = encodePacket({ type: 'user_text', data, id: randomUUID(), missed: true });
  return { type: 'packet', payload, sender: null, receivedAt: Date.now() };
}
