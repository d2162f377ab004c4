import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { joinAsPerson, launchEnv } from '@session/agent-kit/testing';
import {
  fails,
  PLANTED_KEY,
  says,
  stalls,
  startScriptedModel,
} from '@session/conversation/testing';
import { openRoomService } from '@session/media';
import { listenToWords } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openRoom, startLightAgent, variablesOf } from '../testing/light-agent.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const PLAN = JSON.stringify({
  id: 'booking-1',
  name: 'Booking',
  description: 'Takes a booking.',
  steps: [
    {
      id: 'name',
      title: 'Your name',
      instructions: 'Ask for the name.',
      deliverable: { id: 'customer', title: 'Customer', type: 'text', required: true },
    },
  ],
});

test('typed texts, packets of people and of the API are each answered once, by one text stream under a UUID', async () => {
  await using model = await startScriptedModel(says('Good', ' morning.'));
  const { room, ann } = await openRoom(variablesOf(model));
  const id = await ann.room.say('one');
  await ann.untilAnswered(1);
  await ann.room.sendPacket({ type: 'user_text', data: 'one', id });
  await ann.room.sendText('lk.chat', 'two');
  await ann.untilAnswered(2);
  const packet = { type: 'user_text', data: 'three', id: randomUUID() } as const;
  await openRoomService(testMedia()).sendPacket(room, packet);
  await ann.untilAnswered(3);
  expect(ann.answers()).toEqual(['Good morning.', 'Good morning.', 'Good morning.']);
  for (const event of ann.streams()) {
    expect(event).toMatchObject({
      topic: 'lk.transcription',
      hasEnded: true,
      attributes: { 'lk.segment_id': expect.stringMatching(uuid) },
      sender: { identity: 'agent-light-agent-00000001', kind: 'agent' },
    });
  }
  expect(model.requests).toHaveLength(3);
});

test('with the rehearsal model a plan is walked to its end, and its events reach the room', async () => {
  const { ann } = await openRoom({ LLM_API_KEY: 'rehearsal', PLAN });
  await ann.untilAnswered(1);
  await ann.room.say('Ada');
  await ann.untilAnswered(2);
  const [greeting, goodbye] = ann.answers();
  expect(greeting).toMatch(/rehearsal model.*Please tell me: Customer/);
  expect(goodbye).toMatch(/That was the whole plan/);
  expect(ann.packets()).toEqual([
    expect.objectContaining({ state: 'ready' }),
    expect.objectContaining({ type: 'complete_todo_list', message: '0 of 1 steps done' }),
    expect.objectContaining({ state: 'step_started', step: 'name' }),
    expect.objectContaining({ deliverable: expect.objectContaining({ value: 'Ada' }) }),
    expect.objectContaining({ type: 'complete_todo_list', message: '1 of 1 steps done' }),
    expect.objectContaining({ state: 'plan_completed' }),
  ]);
});

test('an agent that starts again does not greet, and answers the text that nobody has answered', async () => {
  await using model = await startScriptedModel(says('Your name is Ada.'));
  const server = testMedia();
  const room = randomUUID();
  const ann = await joinAsPerson(server, room);
  const { identity } = ann.room;
  const lines = [
    { id: randomUUID(), role: 'user', identity, content: 'I am Ada.' },
    { id: randomUUID(), role: 'assistant', identity: 'agent-1', content: 'Hello Ada.' },
    { id: randomUUID(), role: 'user', identity, content: 'Who am I?' },
  ];
  const at = new Date().toISOString();
  const history = lines.map((line) => ({ ...line, at }));
  const CONVERSATION = JSON.stringify({ history, state: { plans: [] } });
  const launched = await launchEnv(server, room, 'light-agent');
  await startLightAgent(launched, { ...variablesOf(model), CONVERSATION }).ready;
  await ann.untilAnswered(1);
  const [answered] = lines;
  if (!answered) throw new Error('there are lines');
  await ann.room.sendPacket({ type: 'user_text', data: answered.content, id: answered.id });
  await ann.room.say('And now?');
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Your name is Ada.', 'Your name is Ada.']);
  expect(JSON.stringify(model.requests[0]?.body['messages'])).toMatch(/I am Ada.*Who am I\?/);
  expect(model.requests).toHaveLength(2);
  // What was answered before the start is in the prompt only as history.
  expect(JSON.stringify(model.requests[1]?.body['messages']).match(/I am Ada\./g)).toHaveLength(1);
});

test('SIGTERM in the middle of an answer that never ends: the agent ends with code 0, what it said stays, marked, and it says that it leaves', async () => {
  await using model = await startScriptedModel(stalls);
  // Longer than the test.
  const { agent, ann } = await openRoom({ ...variablesOf(model), LLM_IDLE_MS: '600000' });
  const heard = listenToWords();
  onTestFinished(() => heard.stop());
  await ann.room.say('one');
  await expect.poll(() => heard.text).toContain('One moment');
  const end = once(agent.child, 'exit');
  agent.child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
  await ann.untilAnswered(1);
  const attributes = expect.objectContaining({ 'session.interrupted': 'true' });
  expect(ann.streams()).toMatchObject([{ text: 'One moment', attributes }]);
  await expect.poll(ann.packets).toContainEqual(expect.objectContaining({ state: 'stopping' }));
});

test('a key that is refused three times ends the agent with code 78, and is in no message and no log', async () => {
  await using model = await startScriptedModel(fails(401));
  const { agent, ann } = await openRoom(variablesOf(model));
  const end = once(agent.child, 'close');
  const refusals = () => agent.output().split('"reason":"model_refused"').length - 1;
  for (const count of [1, 2, 3]) {
    await ann.room.say(`text ${count}`);
    await expect.poll(refusals).toBe(count);
  }
  expect(await end).toEqual([78, null]);
  expect(agent.output()).toContain('check LLM_API_KEY, LLM_BASE_URL and LLM_MODEL');
  const received = JSON.stringify([ann.packets(), ann.streams()]);
  expect(received + agent.output()).not.toContain(PLANTED_KEY);
});

test('faulty variables end the agent with code 78: the log names each of them, and no value', async () => {
  const env = { MEDIA_URL: 'there', MEDIA_TOKEN: 't', MEDIA_ROOM: 'r', PLAN: '{' };
  const agent = startLightAgent(env, { LLM_BASE_URL: 'hunter2', LLM_TURN_MS: '-1' });
  expect(await once(agent.child, 'close')).toEqual([78, null]);
  expect(agent.output().trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^MEDIA_URL is not valid: /),
    'PLAN is not valid JSON: line 1, column 2.',
    expect.stringMatching(/^LLM_API_KEY is not set: /),
    expect.stringMatching(/^LLM_BASE_URL is not valid: /),
    expect.stringMatching(/^LLM_TURN_MS is not valid: /),
  ]);
  expect(agent.output()).not.toContain('hunter2');
});
