import { afterEach, expect, test, vi } from 'vitest';
import { makeConversation } from '../../testing/conversations.ts';

const OWN_IN_ROOM = 'user-019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b-operator-abc123';

afterEach(() => void vi.useRealTimers());

test('an operator stays one while speaking, and words wait for the room, where no agent answers them', async () => {
  // On a slow machine, the words must not fail before the room is there.
  const timing = { verdictMs: 3_600_000 };
  await using made = makeConversation(undefined, { mode: 'history', timing });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  room.isSlow = true;
  conversation.setMode('operator');
  await conversation.say('I am here');
  await expect.poll(() => room.tokens).toHaveLength(1);
  expect([shown(), api.count('say')]).toEqual([['I am here: sending'], 0]);
  room.isSlow = false;
  conversation.setMode('history');
  conversation.setMode('operator');
  await expect.poll(connection).toBe('live');
  await expect.poll(() => room.sent.map(({ data }) => data)).toEqual(['I am here']);
  await expect.poll(shown).toEqual(['I am here: complete']);
  expect([conversation.timeline.getSnapshot().mode, new Set(api.tokenModes)]).toEqual([
    'operator',
    new Set(['operator']),
  ]);
  conversation.setMode('history');
  await expect.poll(() => room.hasLeft).toBe(true);
});

test('the words of an operator who does not get into the room fail: the API would send them as those of a user', async () => {
  await using made = makeConversation(undefined, { mode: 'history', timing: { verdictMs: 20 } });
  const { api, room, conversation, shown } = made;
  await conversation.open();
  room.isSlow = true;
  conversation.setMode('operator');
  await conversation.say('I am here');
  await expect.poll(shown).toEqual(['I am here: failed']);
  expect(api.count('say')).toBe(0);
});

test('what an operator said is sent again when the room comes back, if a dead room took it', async () => {
  const timing = { resendMs: 3000, verdictMs: 10_000 };
  await using made = makeConversation(undefined, { mode: 'operator', timing });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  vi.useFakeTimers();
  await conversation.say('I am here');
  room.listener.lost();
  await vi.advanceTimersByTimeAsync(4000);
  expect([room.sent.length, api.count('say')]).toEqual([1, 0]);
  room.listener.restored();
  await vi.advanceTimersByTimeAsync(3000);
  expect(room.sent.map(({ data }) => data)).toEqual(['I am here', 'I am here']);
  expect(shown()).toEqual(['I am here: complete']);
});

test('what an operator says while the room is lost follows what the dead room took before', async () => {
  const timing = { resendMs: 3000, verdictMs: 10_000 };
  await using made = makeConversation(undefined, { mode: 'operator', timing });
  const { api, room, conversation, connection } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  vi.useFakeTimers();
  await conversation.say('first');
  room.listener.lost();
  await conversation.say('second');
  await vi.advanceTimersByTimeAsync(4000);
  expect(room.sent.map(({ data }) => data)).toEqual(['first']);
  room.listener.restored();
  await vi.advanceTimersByTimeAsync(0);
  expect(room.sent.map(({ data }) => data)).toEqual(['first', 'first', 'second']);
  expect(api.count('say')).toBe(0);
});

test('what an operator said before an outage waits for the room, though the API is back first', async () => {
  await using made = makeConversation(undefined, {
    mode: 'operator',
    timing: { verdictMs: 3_600_000 },
  });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  room.isDeaf = true;
  for (const method of ['say', 'latest']) api.cutOff(method);
  const id = await conversation.say('I am here');
  await expect.poll(() => api.count('say')).toBe(1);
  room.listener.lost();
  await expect.poll(connection).toBe('offline');
  api.faults.clear();
  await expect.poll(connection).toBe('reconnecting');
  expect([shown(), api.count('say')]).toEqual([['I am here: sending'], 1]);
  room.isDeaf = false;
  room.listener.restored();
  await expect.poll(() => room.sent.map(({ data }) => data)).toEqual(['I am here']);
  api.append({ id, content: 'I am here', sender: OWN_IN_ROOM });
  await expect.poll(shown).toEqual(['I am here: complete']);
  expect(api.count('say')).toBe(1);
});

test('what an operator said who never got into the room has failed when the conversation is closed', async () => {
  const timing = { verdictMs: 3_600_000 };
  const made = makeConversation(undefined, { mode: 'operator', timing });
  const { api, room, conversation, shown } = made;
  room.isSlow = true;
  await conversation.open();
  await conversation.say('I am here');
  await conversation.close();
  expect([shown(), api.count('say')]).toEqual([['I am here: failed'], 0]);
});

test.each(['history', 'join'] as const)(
  'the waiting words of an operator who hands back, for the mode %s, fail: they are not sent as those of a user',
  async (mode) => {
    const timing = { verdictMs: 10_000 };
    await using made = makeConversation(undefined, { mode: 'history', timing });
    const { api, room, conversation, connection, shown } = made;
    await conversation.open();
    room.isSlow = true;
    conversation.setMode('operator');
    vi.useFakeTimers();
    await conversation.say('I am here');
    room.isSlow = false;
    conversation.setMode(mode);
    await vi.advanceTimersByTimeAsync(5000);
    expect([connection(), shown()]).toEqual(['live', ['I am here: sending']]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown()).toEqual(['I am here: failed']);
    expect([room.sent, api.count('say')]).toEqual([[], 0]);
  },
);

test('what an operator says in the room just before handing back is not sent again as the words of a user', async () => {
  const timing = { verdictMs: 3_600_000 };
  await using made = makeConversation(undefined, { mode: 'operator', timing });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  const id = await conversation.say('Goodbye');
  conversation.setMode('history');
  await expect.poll(() => room.hasLeft).toBe(true);
  expect([room.sent.length, api.count('say')]).toEqual([1, 0]);
  api.append({ id, content: 'Goodbye', sender: OWN_IN_ROOM });
  await expect.poll(shown).toEqual(['Goodbye: complete']);
  expect(api.count('say')).toBe(0);
});

test('what an operator says while handing back fails, and joins no room as a user', async () => {
  const timing = { verdictMs: 10_000 };
  await using made = makeConversation(undefined, { mode: 'operator', timing });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  vi.useFakeTimers();
  const saying = conversation.say('I am here');
  conversation.setMode('history');
  await saying;
  await vi.advanceTimersByTimeAsync(timing.verdictMs);
  expect([shown(), api.count('say')]).toEqual([['I am here: failed'], 0]);
  expect(conversation.timeline.getSnapshot().mode).toBe('history');
});

test('what a user says just before taking over as an operator goes by the API at once', async () => {
  await using made = makeConversation(undefined, { mode: 'history' });
  const { api, room, conversation, shown } = made;
  await conversation.open();
  room.isSlow = true;
  vi.useFakeTimers();
  const saying = conversation.say('Hello');
  conversation.setMode('operator');
  await saying;
  await vi.advanceTimersByTimeAsync(0);
  expect([shown(), api.count('say')]).toEqual([['Hello: complete'], 1]);
  expect(conversation.timeline.getSnapshot().mode).toBe('operator');
});
