import { setImmediate } from 'node:timers/promises';
import { encodePacket } from '@session/contract/room';
import { expect, test } from 'vitest';
import { makeConversation, openConversation } from '../../testing/conversations.ts';
import { refusal } from '../../testing/fake-service.ts';
import type { Room } from '../index.ts';

const OWN_IN_ROOM = 'user-019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b-abc123';

test('a message goes by the room, and not by the API once a recorder has stored it', async () => {
  await using made = await openConversation();
  const { api, room, conversation, shown, connection } = made;
  await expect.poll(connection).toBe('live');
  const id = await conversation.say('Hello');
  expect(shown()).toEqual(['Hello: sending']);
  expect(room.sent).toMatchObject([{ type: 'user_text', data: 'Hello', id }]);
  api.append({ id, content: 'Hello', sender: OWN_IN_ROOM });
  await expect.poll(shown).toEqual(['Hello: complete']);
  await conversation.close();
  expect(api.count('say')).toBe(0);
});

test.each<[string, (made: Awaited<ReturnType<typeof openConversation>>) => void]>([
  ['that nobody recorded', () => {}],
  ['that hangs on its way into the room', ({ room }) => Object.assign(room, { isStuck: true })],
  ['that the room did not take', ({ room }) => Object.assign(room, { isDeaf: true })],
  ['said while the room is lost', ({ room }) => room.listener.lost()],
])('a message %s is stored by the API under the same id', async (_, prepare) => {
  await using made = await openConversation();
  const { api, conversation, shown, connection } = made;
  await expect.poll(connection).toBe('live');
  prepare(made);
  const id = await conversation.say('Hello');
  await expect.poll(shown).toEqual(['Hello: complete']);
  expect(api.history.rows).toMatchObject([{ id, content: 'Hello' }]);
  expect(api.count('say')).toBe(1);
});

test.each([
  [
    'throws at once',
    () => {
      throw new Error('cannot send');
    },
  ],
  ['returns no promise', () => {}],
])('a message is stored by the API if the `send` of a room %s', async (_, send) => {
  await using made = makeConversation();
  const { api, room, conversation, connection, shown } = made;
  const { join } = room;
  const ownJoin: Room['join'] = async (...given) => Object.assign(await join(...given), { send });
  Object.assign(room, { join: ownJoin });
  await conversation.open();
  await expect.poll(connection).toBe('live');
  await conversation.say('Hello');
  await expect.poll(shown).toEqual(['Hello: complete']);
  expect(api.count('say')).toBe(1);
});

test('a message that the room does not take goes by the API at once', async () => {
  await using made = makeConversation(undefined, { resendMs: 3_600_000 });
  await made.conversation.open();
  await expect.poll(made.connection).toBe('live');
  made.room.isDeaf = true;
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['Hello: complete']);
});

test('without a room a message goes by the API', async () => {
  await using made = makeConversation(undefined, { hasRoom: false });
  await made.conversation.open();
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['Hello: complete']);
});

test.each([[[]], [['agent-light-agent-6b7c8d9e']]])(
  'a text that the API sent names the agents that could read it: %j',
  async (readers) => {
    await using made = makeConversation(undefined, { mode: 'history' });
    const { api, conversation, shown } = made;
    api.append();
    await conversation.open();
    api.readers = readers;
    // The history may have the row before the API answers.
    const stored = Promise.withResolvers<void>();
    api.storing = stored.promise;
    const id = await conversation.say('Hello');
    api.append({ id, content: 'Hello', sender: OWN_IN_ROOM });
    await expect.poll(shown).toEqual(['row 1: complete', 'Hello: complete']);
    const delivered = () =>
      conversation.timeline.getSnapshot().items.map(({ deliveredTo }) => deliveredTo);
    expect(delivered()).toEqual([null, null]);
    stored.resolve();
    await expect.poll(delivered).toEqual([null, readers]);
    expect(shown()).toEqual(['row 1: complete', 'Hello: complete']);
  },
);

test('of a text that the room took it is not known who read it', async () => {
  await using made = await openConversation((api) => {
    api.readers = [];
  });
  const { api, conversation, shown, connection } = made;
  await expect.poll(connection).toBe('live');
  const id = await conversation.say('Hello');
  api.append({ id, content: 'Hello', sender: OWN_IN_ROOM });
  await expect.poll(shown).toEqual(['Hello: complete']);
  expect(conversation.timeline.getSnapshot().items[0]?.deliveredTo).toBeNull();
});

test.each([
  ['recording', 'failed'],
  ['reconnecting', 'failed'],
  ['lost', 'unrecorded'],
  ['waiting', 'unrecorded'],
] as const)(
  'an unstored message in a session whose recording is %s is %s, and can be sent again',
  async (recording, state) => {
    await using made = await openConversation();
    const { api, conversation, shown, connection } = made;
    await expect.poll(connection).toBe('live');
    api.recording = recording;
    api.cutOff('say');
    const id = await conversation.say('Hello');
    expect(conversation.sayAgain(id)).toBe(false);
    await expect.poll(shown).toEqual([`Hello: ${state}`]);
    api.faults.clear();
    expect(conversation.sayAgain(id)).toBe(true);
    expect(shown()).toEqual(['Hello: sending']);
    await expect.poll(shown).toEqual(['Hello: complete']);
    expect(api.history.rows).toMatchObject([{ id }]);
    expect([conversation.sayAgain(id), conversation.sayAgain('unknown')]).toEqual([false, false]);
  },
);

test('what was said in the room keeps its number by the API and when it is sent again; nothing else has a number', async () => {
  await using made = makeConversation(undefined, { mode: 'history' });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  api.cutOff('say');
  const early = await conversation.say('by the API');
  await expect.poll(connection).toBe('live');
  for (const text of ['one', 'two']) await conversation.say(text);
  await expect.poll(shown).toEqual(['by the API: failed', 'one: failed', 'two: failed']);
  api.faults.clear();
  const { items } = conversation.timeline.getSnapshot();
  for (const { id } of items) conversation.sayAgain(id);
  await conversation.say('three');
  await expect.poll(() => api.saidNumbers).toHaveLength(4);
  expect(new Set(api.saidNumbers)).toEqual(new Set([1, 2, 3, undefined]));
  const numbered = room.sent.filter(({ id }) => id !== early);
  expect(numbered.map(({ data, seq }) => `${data} ${seq?.n}`)).toEqual([
    'one 1',
    'two 2',
    'one 1',
    'two 2',
    'three 3',
  ]);
  expect(room.sent.find(({ id }) => id === early)).not.toHaveProperty('seq');
  const [q = '', ...others] = new Set(numbered.map(({ seq }) => seq?.q));
  expect([q, others]).toEqual([expect.stringMatching(/^[\w-]{8,16}$/), []]);
});

test('an API of a former release, which knows no numbers, gets the message without its number', async () => {
  await using made = await openConversation();
  const { api, conversation, shown, connection } = made;
  await expect.poll(connection).toBe('live');
  api.knowsNumbers = false;
  await conversation.say('Hello');
  await expect.poll(shown).toEqual(['Hello: complete']);
  expect(api.saidNumbers).toEqual([1, undefined]);
  api.faults.set('say', refusal(400, 'invalid_request'));
  await conversation.say('refused');
  await expect.poll(shown).toEqual(['Hello: complete', 'refused: failed']);
});

test('an unstored message that was seen in the room is unrecorded', async () => {
  await using made = await openConversation();
  const { api, room, conversation, shown, connection } = made;
  await expect.poll(connection).toBe('live');
  api.cutOff('say');
  const id = await conversation.say('Hello');
  // The API sends a packet of its own, without a sender, for a message that it has stored.
  const payload = encodePacket({ type: 'user_text', data: 'Hello', id });
  room.listener.event({ type: 'packet', payload, sender: null, receivedAt: 0 });
  expect(shown()).toEqual(['Hello: unconfirmed']);
  await expect.poll(shown).toEqual(['Hello: unrecorded']);
});

test('a message is complete when the history has it although the API did not answer', async () => {
  await using made = await openConversation();
  const { api, conversation, shown } = made;
  api.cutOff('say');
  const id = await conversation.say('Hello');
  await expect.poll(() => api.count('say')).toBeGreaterThan(0);
  api.append({ id, content: 'Hello', sender: OWN_IN_ROOM });
  await expect.poll(shown).toEqual(['Hello: complete']);
});

test.each([
  [409, 'session_closed'],
  [409, 'message_id_taken'],
])('%i %s: the message has failed at once', async (status, code) => {
  await using made = makeConversation((api) => api.faults.set('say', refusal(status, code)), {
    hasRoom: false,
  });
  await made.conversation.open();
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['Hello: failed']);
  expect(made.api.count('say')).toBe(1);
});

test.each([
  ['nothing', ''],
  ['32,001 bytes', 'x'.repeat(32_001)],
  ['32,001 bytes of fewer characters', 'é'.repeat(16_001)],
  ['more than 62,000 bytes as JSON', '\u0001'.repeat(10_500)],
])('%s is refused before it is shown', async (_, content) => {
  await using made = await openConversation();
  await expect(made.conversation.say(content)).rejects.toThrow(RangeError);
  expect([made.shown(), made.room.sent]).toEqual([[], []]);
});

test('32,000 bytes are taken', async () => {
  await using made = await openConversation();
  await made.conversation.say('é'.repeat(16_000));
  expect(made.shown()).toHaveLength(1);
});

test('closing loses no message: what is not stored goes by the API, then the room is left', async () => {
  const { api, room, conversation, connection } = await openConversation();
  await expect.poll(connection).toBe('live');
  const ids = [await conversation.say('one'), await conversation.say('two')];
  const stored = Promise.withResolvers<void>();
  api.storing = stored.promise;
  const closed = Promise.all([conversation.close(), conversation.close()]);
  await expect.poll(() => api.count('say')).toBe(2);
  expect([room.hasLeft, api.history.rows]).toEqual([false, []]);
  stored.resolve();
  await closed;
  expect(api.history.rows.map(({ id }) => id)).toEqual(ids);
  expect(room.hasLeft).toBe(true);
  await expect(conversation.say('three')).rejects.toThrow('the conversation is closed');
  expect(() => conversation.sayAgain('x')).toThrow('the conversation is closed');
});

test('closing sends one message after another, as they were said', async () => {
  const { api, conversation } = makeConversation(undefined, {
    hasRoom: false,
    resendMs: 3_600_000,
  });
  await conversation.open();
  const stored = Promise.withResolvers<void>();
  api.storing = stored.promise;
  const ids = [await conversation.say('one'), await conversation.say('two')];
  await expect.poll(() => api.count('say')).toBe(1);
  const closed = conversation.close();
  await setImmediate();
  expect(api.count('say')).toBe(1);
  stored.resolve();
  await closed;
  expect(api.history.rows.map(({ id }) => id)).toEqual(ids);
});

test('closing marks what the room took neither as failed nor as stored, if the API is away', async () => {
  const { api, conversation, connection, shown } = await openConversation();
  await expect.poll(connection).toBe('live');
  api.cutOff('say');
  await conversation.say('Hello');
  await conversation.close();
  expect(shown()).toEqual(['Hello: sending']);
});

test('closing ends although the API does not answer', async () => {
  const { api, conversation, connection } = await openConversation();
  await expect.poll(connection).toBe('live');
  api.cutOff();
  await conversation.say('Hello').catch(() => {});
  await expect(conversation.close()).resolves.toBeUndefined();
});

test('the caller is read again after a failure to read it', async () => {
  await using made = makeConversation((api) => api.cutOff('me'), { hasRoom: false });
  await made.conversation.open();
  await expect(made.conversation.say('Hello')).rejects.toThrow('no answer');
  made.api.faults.clear();
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['Hello: complete']);
});
