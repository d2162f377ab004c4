import { expect, test, vi } from 'vitest';
import { makeConversation, openConversation, textStream } from '../../testing/conversations.ts';
import { refusal } from '../../testing/fake-service.ts';
import { participant } from '../../testing/model/live.ts';

test('an open conversation shows the newest page, and everything stored from then on', async () => {
  await using made = await openConversation((api) => api.appendMany(3));
  const { api, shown, connection } = made;
  expect(shown()).toEqual(['row 1: complete', 'row 2: complete', 'row 3: complete']);
  await expect.poll(connection).toBe('live');
  api.append();
  await expect.poll(() => shown().at(-1)).toBe('row 4: complete');
  api.append({ content: 'On', status: 'pending' });
  await expect.poll(() => shown().at(-1)).toBe('On: pending');
});

test('while it joins its room, the history is loaded and words are stored already', async () => {
  await using made = makeConversation();
  const { conversation, room, shown } = made;
  const { getSnapshot } = conversation.timeline;
  room.isSlow = true;
  expect(getSnapshot()).toMatchObject({ isLoaded: false });
  await conversation.open();
  expect(room.preparedAfter).toBe(0);
  expect(getSnapshot()).toMatchObject({ isLoaded: true, connection: 'connecting', items: [] });
  await conversation.say('Hello');
  await expect.poll(shown).toEqual(['Hello: complete']);
});

test('without a room it is live when the history is there', async () => {
  const { api, conversation, connection } = makeConversation(undefined, { hasRoom: false });
  expect(connection()).toBe('idle');
  await conversation.open();
  await expect.poll(connection).toBe('live');
  await conversation.close();
  expect([connection(), api.count('createToken')]).toEqual(['idle', 0]);
  await expect(conversation.open()).rejects.toThrow('closed');
});

test.each([
  [404, 'not_found'],
  [403, 'forbidden'],
  [401, 'unauthorized'],
])('%i: open throws it, and the conversation is closed', async (status, code) => {
  const { conversation, api } = makeConversation((fake) =>
    fake.faults.set('all', refusal(status, code)),
  );
  await expect(conversation.open()).rejects.toMatchObject({ code });
  expect(conversation.timeline.getSnapshot()).toMatchObject({
    connection: 'idle',
    error: { code },
  });
  await conversation.close();
  const { length } = api.asked;
  await expect(conversation.say('Hello')).rejects.toThrow('closed');
  expect(api.asked).toHaveLength(length);
});

test('a later refusal closes the conversation, with the error in its snapshot', async () => {
  await using made = await openConversation();
  const { api, conversation } = made;
  api.faults.set('all', refusal(404, 'not_found'));
  api.wake();
  await expect.poll(() => conversation.timeline.getSnapshot().error?.code).toBe('not_found');
});

test('offline while the API does not answer, and complete afterwards', async () => {
  await using made = await openConversation((api) => api.append());
  const { api, shown, connection } = made;
  api.cutOff();
  await expect.poll(connection).toBe('offline');
  expect(shown()).toEqual(['row 1: complete']);
  api.appendMany(3);
  api.faults.clear();
  await expect.poll(connection).toBe('live');
  expect(shown()).toHaveLength(4);
});

test('refresh reads at once, and is no sign of being offline', async () => {
  await using made = await openConversation();
  const { api, conversation, connection } = made;
  await expect.poll(connection).toBe('live');
  const seen = new Set<string>();
  conversation.timeline.subscribe(() => seen.add(connection()));
  const requests = api.count('latest');
  conversation.refresh();
  // One request reads at once, and the next one waits.
  await expect.poll(() => api.waits.slice(requests)).toEqual([0, 25]);
  api.append();
  await expect.poll(() => seen).toEqual(new Set(['live']));
});

test('a client more than 2,000 rows behind starts again with the newest page', async () => {
  await using made = await openConversation((api) => api.append());
  const { api, conversation, shown, connection } = made;
  api.cutOff();
  await expect.poll(connection).toBe('offline');
  const before = api.count('latest');
  api.appendMany(6000);
  // Meanwhile the conversation retries repeatedly.
  const tried = () => api.count('latest');
  const failed = tried();
  api.faults.clear();
  await expect.poll(() => shown().at(-1)).toBe('row 6001: complete');
  expect(failed).toBeGreaterThanOrEqual(before);
  expect(tried() - failed).toBeLessThan(10);
  expect(conversation.timeline.getSnapshot()).toMatchObject({ hasOlder: true });
});

test('older pages come on demand, one at a time', async () => {
  await using made = await openConversation((api) => api.appendMany(250));
  const { api, conversation, shown } = made;
  expect([shown().length, shown()[0]]).toEqual([100, 'row 151: complete']);
  const pages = api.count('list');
  await Promise.all([conversation.older(), conversation.older()]);
  expect([shown().length, api.count('list') - pages]).toEqual([200, 1]);
  await conversation.older();
  await conversation.older();
  expect([shown().length, shown()[0]]).toEqual([250, 'row 1: complete']);
  expect(conversation.timeline.getSnapshot()).toMatchObject({
    hasOlder: false,
    loadingOlder: false,
  });
});

test('any moment of a long history takes two requests, and reading on from there meets the live end', async () => {
  await using made = await openConversation((api) => api.appendMany(600));
  const { api, conversation } = made;
  const middle = api.history.rows[299];
  const requests = api.count('latest') + api.count('list');
  await conversation.at(middle?.timestamp ?? '');
  const detached = () =>
    conversation.timeline.getDetachedSnapshot()?.items.map(({ content }) => content);
  expect(detached()).toContain('row 300');
  expect(api.count('latest') + api.count('list') - requests).toBeLessThanOrEqual(3);
  await conversation.detachedOlder();
  expect(detached()?.length).toBe(201);
  for (let step = 0; step < 5; step += 1) await conversation.detachedNewer();
  expect(detached()).toBeUndefined();
  const contents = conversation.timeline.getSnapshot().items.map(({ content }) => content);
  const first = Number(contents[0]?.slice(4));
  expect(contents).toEqual(
    Array.from({ length: 601 - first }, (_, index) => `row ${first + index}`),
  );
  expect(first).toBeLessThan(300);
});

test('any moment of 100,000 messages takes at most five requests, also where old ones were completed', async () => {
  await using made = await openConversation((api) => {
    const slow = Array.from({ length: 120 }, (_, index) => `slow-${index}`);
    for (const id of slow) api.append({ id, status: 'pending' });
    api.appendMany(50_000);
    for (const id of slow) api.append({ id, content: `${id}, to its end` });
    api.appendMany(50_000);
  });
  const { api, conversation } = made;
  const { rows } = api.history;
  const times: [number, number][] = [];
  for (const index of [0, 1, 119, 120, 25_000, 50_118, 50_119, 50_120, 99_000, rows.length - 1]) {
    const before = api.count('latest') + api.count('list');
    const { timestamp = '', content } = rows[index] ?? {};
    await conversation.at(timestamp);
    times.push([index, api.count('latest') + api.count('list') - before]);
    const { getDetachedSnapshot, getSnapshot } = conversation.timeline;
    const { items } = getDetachedSnapshot() ?? getSnapshot();
    expect(items.map((item) => item.content)).toContain(content);
  }
  expect(times.filter(([, requests]) => requests > 5)).toEqual([]);
});

test('a time after the last row opens nothing beside the live end', async () => {
  await using made = await openConversation((api) => api.append());
  await made.conversation.at('2030-01-01T00:00:00.000Z');
  expect(made.conversation.timeline.getDetachedSnapshot()).toBeUndefined();
});

test('5,000 rows are kept for a reader at the end, and all rows for a reader further up', async () => {
  for (const isAtEnd of [true, false]) {
    await using made = await openConversation((api) => api.append());
    const { api, conversation, shown } = made;
    conversation.setAtEnd(isAtEnd);
    for (let count = 0; count < 12; count += 1) {
      api.appendMany(500);
      await expect.poll(() => shown().at(-1)).toBe(`row ${500 * (count + 1) + 1}: complete`);
    }
    expect(shown().length > 5500).toBe(!isAtEnd);
    conversation.setAtEnd(true);
    expect(shown().length).toBeLessThanOrEqual(5500);
  }
});

test('a message of the room is shown before it is stored, and is one item with its row', async () => {
  await using made = await openConversation();
  const { api, room, shown } = made;
  await expect.poll(() => room.tokens).toHaveLength(1);
  room.listener.partial(textStream('Good', { hasEnded: false }));
  expect(shown()).toEqual(['Good: speaking']);
  room.listener.event(textStream('Good morning'));
  expect(shown()).toEqual(['Good morning: unconfirmed']);
  const [item] = made.conversation.timeline.getSnapshot().items;
  api.append({ id: item?.id ?? '', content: 'Good morning', sender: 'ben' });
  await expect.poll(shown).toEqual(['Good morning: complete']);
});

test.each([
  ['a text that was cut off', textStream('Goo', { hasEnded: false }), ['Goo: unconfirmed']],
  [
    'a text that is not final',
    textStream('Goo', { attributes: { 'lk.segment_id': 'SG_1' } }),
    ['Goo: speaking'],
  ],
  ['a text of another topic', textStream('Goo', { topic: 'mine' }), []],
  [
    'a join',
    {
      type: 'participant_joined',
      participant: { ...participant('ben'), sid: 'PA_1' },
      joinedAt: null,
      reason: null,
      receivedAt: 0,
    } as const,
    [],
  ],
  [
    'a packet without an id, which the history will have under another one',
    {
      type: 'packet',
      payload: new TextEncoder().encode('{"type":"user_text","data":"x"}'),
      sender: null,
      receivedAt: 0,
    } as const,
    [],
  ],
])('of the room, %s is shown as what it is', async (_, event, expected) => {
  await using made = await openConversation();
  await expect.poll(() => made.room.tokens).toHaveLength(1);
  made.room.listener.event(event);
  expect(made.shown()).toEqual(expected);
});

test('what an agent transcribes is no longer being said when the agent has left the room', async () => {
  await using made = await openConversation();
  await expect.poll(() => made.room.tokens).toHaveLength(1);
  const { listener } = made.room;
  listener.event(textStream('Goo', { attributes: { 'lk.segment_id': 'SG_1' } }));
  expect(made.shown()).toEqual(['Goo: speaking']);
  const agent = { ...participant('agent-echo'), sid: 'PA_1', kind: 'agent' };
  const left = { type: 'participant_left', participant: agent, joinedAt: null } as const;
  listener.event({ ...left, reason: null, receivedAt: 0 });
  expect(made.shown()).toEqual(['Goo: unconfirmed']);
});

test('an interrupted room drops unfinished messages, and missed rows are read at once', async () => {
  await using made = await openConversation();
  const { api, room, connection, shown } = made;
  await expect.poll(connection).toBe('live');
  room.listener.partial(textStream('Good', { hasEnded: false }));
  room.listener.lost();
  expect([connection(), shown()]).toEqual(['reconnecting', []]);
  const asked = api.count('latest');
  room.listener.restored();
  await expect.poll(() => api.count('latest')).toBeGreaterThan(asked);
  await expect
    .poll(() => made.conversation.timeline.getSnapshot())
    .toMatchObject({ connection: 'live', catchingUp: false });
});

test('a lost room is joined again with a new token, for as long as that takes', async () => {
  await using made = await openConversation();
  const { room, connection } = made;
  await expect.poll(connection).toBe('live');
  room.listener.partial(textStream('Good', { hasEnded: false }));
  room.isAway = true;
  room.close('SERVER_SHUTDOWN');
  await expect.poll(() => room.tokens.length).toBeGreaterThan(3);
  expect([connection(), made.shown()]).toEqual(['reconnecting', []]);
  room.isAway = false;
  await expect.poll(connection).toBe('live');
  expect(new Set(room.tokens).size).toBe(room.tokens.length);
});

test.each([
  ['DUPLICATE_IDENTITY', 'ACTIVE'],
  ['ROOM_DELETED', 'CLOSED'],
] as const)('after %s in a session that is %s the room is left alone', async (reason, status) => {
  await using made = await openConversation();
  const { api, room, connection } = made;
  await expect.poll(connection).toBe('live');
  api.status = status;
  const listener = vi.fn<() => void>();
  made.conversation.timeline.subscribe(listener);
  room.close(reason);
  await expect.poll(() => listener.mock.calls.length).toBeGreaterThan(0);
  api.append();
  await expect.poll(() => made.shown()).toHaveLength(1);
  expect([room.tokens.length, connection()]).toEqual([1, 'live']);
});
