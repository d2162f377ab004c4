import { afterEach, expect, test, vi } from 'vitest';
import { makeConversation, textStream } from '../../testing/conversations.ts';

afterEach(() => void vi.useRealTimers());

type Made = ReturnType<typeof makeConversation>;

const modeOf = ({ conversation }: Made) => conversation.timeline.getSnapshot().mode;
const idsOf = ({ conversation }: Made) =>
  conversation.timeline.getSnapshot().items.map(({ id }) => id);
const storedIdsOf = ({ api }: Made) => api.history.page(undefined, 1000).items.map(({ id }) => id);

test('by the history alone a conversation is live without a token, and gets what is stored as it is stored', async () => {
  await using made = makeConversation((fake) => fake.append(), { mode: 'history' });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  expect([connection(), modeOf(made)]).toEqual(['live', 'history']);
  await expect.poll(() => api.waits.at(-1)).toBe(25);
  api.append();
  await expect.poll(shown).toEqual(['row 1: complete', 'row 2: complete']);
  expect([api.count('createToken'), room.tokens]).toEqual([0, []]);
});

test('an observer gets a token of its own mode, and what is said as it is said', async () => {
  await using made = makeConversation((fake) => fake.append(), { mode: 'observe' });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  room.listener.partial(textStream('Good mor'));
  await expect.poll(shown).toEqual(['row 1: complete', 'Good mor: speaking']);
  expect([api.tokenModes, modeOf(made)]).toEqual([['observe'], 'observe']);
});

test.each(['history', 'observe'] as const)(
  'the first word in the mode %s is sent by the API at once, joins, and is there once',
  async (mode) => {
    await using made = makeConversation((fake) => fake.append(), { mode });
    const { api, room, conversation, connection, shown } = made;
    await conversation.open();
    await expect.poll(connection).toBe('live');
    const first = await conversation.say('Hello');
    expect(modeOf(made)).toBe('join');
    await expect.poll(shown).toEqual(['row 1: complete', 'Hello: complete']);
    expect(api.count('say')).toBe(1);
    await expect.poll(connection).toBe('live');
    expect(api.tokenModes).toEqual(mode === 'observe' ? ['observe', 'join'] : ['join']);
    expect(room.hasLeft).toBe(mode === 'observe');
    const id = await conversation.say('And again');
    // The room may be there before the API has answered.
    const later = room.sent.filter((packet) => packet.id !== first);
    expect(later).toMatchObject([{ type: 'user_text', data: 'And again', id }]);
    const { participant } = conversation.timeline.getSnapshot().items.at(-1) ?? {};
    expect(participant?.identity).toMatch(/^user-/);
  },
);

test('a message that no history can hold does not join', async () => {
  await using made = makeConversation(undefined, { mode: 'history' });
  await made.conversation.open();
  await expect(made.conversation.say('')).rejects.toThrow(RangeError);
  expect([modeOf(made), made.api.tokenModes]).toEqual(['history', []]);
});

test('joining loses and doubles nothing: what was read stays, and what is stored meanwhile comes', async () => {
  await using made = makeConversation((fake) => fake.appendMany(230), { mode: 'history' });
  const { api, room, conversation, connection } = made;
  await conversation.open();
  await conversation.older();
  const before = conversation.timeline.getSnapshot().items;
  expect(before).toHaveLength(200);
  api.append();
  conversation.setMode('join');
  api.append();
  await expect.poll(connection).toBe('live');
  api.append();
  await expect.poll(() => idsOf(made)).toHaveLength(203);
  room.listener.event(textStream('Hello'));
  await expect.poll(() => idsOf(made)).toHaveLength(204);
  const { items } = conversation.timeline.getSnapshot();
  // The same objects: rows that are shown are not drawn again, and stay where they are.
  expect(items.slice(0, 200).every((item, index) => item === before[index])).toBe(true);
  expect(idsOf(made).slice(0, 203)).toEqual(storedIdsOf(made).toReversed().slice(30));
  expect(items.at(-1)).toMatchObject({ content: 'Hello', state: 'unconfirmed' });
});

test('a conversation that returns to the history leaves its room, and follows on', async () => {
  await using made = makeConversation();
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  conversation.setMode('history');
  expect([connection(), modeOf(made)]).toEqual(['live', 'history']);
  await expect.poll(() => room.hasLeft).toBe(true);
  api.append();
  await expect.poll(shown).toEqual(['row 1: complete']);
  conversation.setMode('join');
  await expect.poll(() => room.tokens).toHaveLength(2);
  await expect.poll(connection).toBe('live');
});

test('a mode that changes while a room is being joined is the one that counts', async () => {
  await using made = makeConversation();
  const { room, api, conversation, connection } = made;
  room.isSlow = true;
  await conversation.open();
  await expect.poll(() => room.tokens).toHaveLength(1);
  conversation.setMode('history');
  expect(connection()).toBe('live');
  room.isSlow = false;
  conversation.setMode('observe');
  await expect.poll(() => api.tokenModes).toEqual(['join', 'observe']);
  await expect.poll(connection).toBe('live');
  expect(modeOf(made)).toBe('observe');
});

test.each([
  ['took before', false],
  ['has not taken yet', true],
])(
  'what is said after the loss of the room goes by the API after what the dead room %s',
  async (_, isStuck) => {
    const timing = { resendMs: 3000, verdictMs: 10_000 };
    await using made = makeConversation(undefined, { timing });
    const { api, room, conversation, connection, shown } = made;
    await conversation.open();
    await expect.poll(connection).toBe('live');
    vi.useFakeTimers();
    room.isStuck = isStuck;
    await conversation.say('first');
    room.listener.lost();
    await vi.advanceTimersByTimeAsync(1);
    await conversation.say('second');
    await vi.advanceTimersByTimeAsync(2000);
    expect(api.count('say')).toBe(2);
    expect(api.history.rows.map(({ content }) => content)).toEqual(['first', 'second']);
    expect(shown()).toEqual(['first: complete', 'second: complete']);
  },
);

test('what was said while the room was lost is not overtaken by what is said after its return', async () => {
  const timing = { resendMs: 3_600_000, verdictMs: 3_600_000 };
  await using made = makeConversation(undefined, { timing });
  const { api, room, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  const stored = Promise.withResolvers<void>();
  api.storing = stored.promise;
  room.listener.lost();
  const first = await conversation.say('one');
  await expect.poll(() => api.count('say')).toBe(1);
  room.listener.restored();
  const second = await conversation.say('two');
  stored.resolve();
  expect(room.sent.map(({ id }) => id)).toEqual([first, second]);
  await expect.poll(() => shown()[0]).toBe('one: complete');
});

test('what was said before the room was joined is not overtaken by what is said in it', async () => {
  const timing = { resendMs: 3_600_000, verdictMs: 3_600_000 };
  await using made = makeConversation(undefined, { mode: 'history', timing });
  const { api, room, conversation, connection } = made;
  await conversation.open();
  const stored = Promise.withResolvers<void>();
  api.storing = stored.promise;
  await conversation.say('one');
  await expect.poll(connection).toBe('live');
  await expect.poll(() => room.tokens).toHaveLength(1);
  await conversation.say('two');
  stored.resolve();
  expect(room.sent.map(({ data }) => data)).toEqual(['one', 'two']);
});

test.each([
  ['ROOM_DELETED', 'CLOSED'],
  ['DUPLICATE_IDENTITY', 'ACTIVE'],
] as const)(
  'after %s in a session that is %s another mode is tried, and the conversation is live again',
  async (reason, status) => {
    await using made = makeConversation(undefined, { mode: 'observe' });
    const { api, room, conversation, connection } = made;
    await conversation.open();
    await expect.poll(connection).toBe('live');
    api.status = status;
    const listener = vi.fn<() => void>();
    conversation.timeline.subscribe(listener);
    room.close(reason);
    await expect.poll(() => listener.mock.calls.length).toBeGreaterThan(0);
    for (const mode of ['join', 'history', 'operator'] as const) {
      const tokens = api.count('createToken');
      conversation.setMode(mode);
      await expect.poll(connection).toBe('live');
      const isTried = mode !== 'history';
      await expect.poll(() => api.count('createToken') > tokens).toBe(isTried);
      await expect.poll(connection).toBe('live');
      expect(modeOf(made)).toBe(mode);
    }
  },
);

test('when the session was closed by somebody else, the room is released, and a microphone with it', async () => {
  await using made = makeConversation();
  const { api, room, conversation, connection } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  expect(room.isReleased).toBe(false);
  api.status = 'CLOSED';
  room.close('ROOM_DELETED');
  await expect.poll(() => room.isReleased).toBe(true);
  expect([connection(), modeOf(made)]).toEqual(['live', 'join']);
});

test('without a room there is the history alone', async () => {
  await using made = makeConversation((fake) => fake.append(), { hasRoom: false });
  await made.conversation.open();
  expect(modeOf(made)).toBe('history');
  expect(() => made.conversation.setMode('join')).toThrow('setMode needs a room');
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['row 1: complete', 'Hello: complete']);
  expect(modeOf(made)).toBe('history');
});
