import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeConversation, textStream } from '../../testing/conversations.ts';
import { FakePage } from '../../testing/fake-page.ts';
import { refusal } from '../../testing/fake-service.ts';

/** Returns an open conversation that reads a stream. */
async function openStream(page?: FakePage, random = () => 0) {
  const made = makeConversation(
    (fake) => {
      fake.hasStreams = true;
      fake.append();
    },
    { hasRoom: page === undefined, ...(page && { page }), timing: { streamMs: 10_000 }, random },
  );
  await made.conversation.open();
  await expect.poll(made.connection).toBe('live');
  await expect.poll(() => made.api.asked.at(-1)).toBe('arrivals');
  return made;
}

test('a stream brings what is stored, grows and is completed, without another request', async () => {
  await using made = await openStream();
  const { api, shown } = made;
  const requests = api.asked.length;
  const growing = { id: 'growing', status: 'pending' } as const;
  for (const part of [
    { ...growing, content: 'On' },
    { ...growing, content: 'One' },
  ]) {
    const row = api.append(part);
    await expect.poll(shown).toEqual(['row 1: complete', `${row.content}: pending`]);
  }
  api.append({ id: 'growing', content: 'One two' });
  api.appendMany(3);
  const rows = ['row 1', 'One two', 'row 5', 'row 6', 'row 7'];
  await expect.poll(shown).toEqual(rows.map((row) => `${row}: complete`));
  expect(new Set(api.asked.slice(requests))).toEqual(new Set(['arrived']));
});

test('what is stored while a stream breaks comes once, by the next request, and a stream follows', async () => {
  await using made = await openStream();
  const { api, shown, connection } = made;
  const states = new Set<string>();
  made.conversation.timeline.subscribe(() => states.add(connection()));
  for (let row = 2; row <= 9; row += 1) {
    api.cutOff('arrived');
    api.append();
    await expect.poll(() => shown().length).toBe(row);
    api.faults.clear();
    await expect.poll(() => api.asked.at(-1)).toBe('arrivals');
  }
  expect(shown()).toEqual(Array.from({ length: 9 }, (_, index) => `row ${index + 1}: complete`));
  expect(states).toEqual(new Set(['live']));
});

test('after a stream that broke the next request waits for a random time, or for a refresh', async () => {
  // The random wait is the whole time.
  await using made = await openStream(undefined, () => 1);
  const { api, shown, conversation } = made;
  const requests = api.count('latest');
  api.cutOff('arrived');
  api.append();
  await expect.poll(() => api.asked.at(-1)).toBe('arrived');
  api.faults.clear();
  await setImmediate();
  expect(api.count('latest')).toBe(requests);
  conversation.refresh();
  await expect.poll(shown).toEqual(['row 1: complete', 'row 2: complete']);
});

test('where streams do not get through, twice as many requests that wait come before each next one', async () => {
  await using made = makeConversation(undefined, { hasRoom: false });
  const { api, conversation, shown } = made;
  await conversation.open();
  const polls = () => api.waits.filter((wait) => wait > 0).length;
  for (let row = 1; row <= 14; row += 1) {
    await expect.poll(polls).toBe(row);
    api.append();
    await expect.poll(() => shown().length).toBe(row);
  }
  await expect.poll(() => api.count('arrivals')).toBe(4);
});

test('a later refusal closes the conversation', async () => {
  await using made = await openStream();
  made.api.faults.set('all', refusal(404, 'not_found'));
  made.api.wake();
  await expect.poll(() => made.conversation.timeline.getSnapshot().error?.code).toBe('not_found');
});

test('offline while the API does not answer, and complete afterwards', async () => {
  await using made = await openStream();
  const { api, shown, connection } = made;
  api.cutOff();
  await expect.poll(connection).toBe('offline');
  api.appendMany(2);
  api.faults.clear();
  await expect.poll(connection).toBe('live');
  expect(shown()).toEqual(['row 1: complete', 'row 2: complete', 'row 3: complete']);
});

test('after a restore the timeline is emptied and loaded again', async () => {
  await using made = await openStream();
  const { api, shown } = made;
  api.appendMany(3);
  await expect.poll(shown).toHaveLength(4);
  api.history.restore(2);
  api.append();
  const left = ['row 1: complete', 'row 2: complete', 'row 5: complete'];
  await expect.poll(shown).toEqual(left);
  api.append();
  await expect.poll(shown).toEqual([...left, 'row 6: complete']);
});

test('a room that is lost and stays away is no reason to miss rows: the stream is left, and they are read', async () => {
  await using made = await openStream();
  const { api, room, conversation } = made;
  await expect.poll(() => room.tokens).toHaveLength(1);
  await expect.poll(() => api.asked.at(-1)).toBe('arrivals');
  room.listener.partial(textStream('Good', { hasEnded: false }));
  room.listener.lost();
  expect(conversation.timeline.getSnapshot()).toMatchObject({ catchingUp: true });
  // Like the comment that the API sends from time to time.
  api.wake();
  await expect.poll(() => conversation.timeline.getSnapshot()).toMatchObject({ catchingUp: false });
});

test('a page that is hidden ends its stream, and a page that is shown reads at once', async () => {
  const page = new FakePage(false);
  await using made = await openStream(page);
  const { api, shown } = made;
  page.setHidden(true);
  await expect.poll(() => api.asked.at(-1)).toBe('latest');
  api.append();
  const requests = api.asked.length;
  page.setHidden(false);
  await expect.poll(shown).toEqual(['row 1: complete', 'row 2: complete']);
  await expect.poll(() => api.asked.slice(requests)).toEqual(['latest', 'arrivals']);
  expect(api.waits.at(-1)).toBe(0);
});
