import { expect, test } from 'vitest';
import { makeConversation } from '../../testing/conversations.ts';
import { FakePage } from '../../testing/fake-page.ts';
import { refusal } from '../../testing/fake-service.ts';
import { isApiError } from '../index.ts';

test('a hidden page holds no request open, and reads at once when it is shown', async () => {
  const page = new FakePage(true);
  await using made = makeConversation((fake) => fake.append(), { page });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  await expect.poll(() => new Set(api.waits)).toEqual(new Set([0]));
  api.append();
  const reads = api.waits.length;
  page.setHidden(false);
  await expect.poll(shown).toEqual(['row 1: complete', 'row 2: complete']);
  await expect.poll(() => api.waits.slice(reads)).toEqual([0, 25]);
});

test('a page that is hidden ends the request that it held open', async () => {
  const page = new FakePage(false);
  await using made = makeConversation((fake) => fake.append(), { page });
  const { api, conversation } = made;
  await conversation.open();
  await expect.poll(() => api.waits.at(-1)).toBe(25);
  page.setHidden(true);
  await expect.poll(() => api.waits.at(-1)).toBe(0);
  expect(api.count('waited')).toBe(0);
});

test('a hidden page reads what is new from time to time', async () => {
  const page = new FakePage(true, 1);
  await using made = makeConversation((fake) => fake.append(), { page });
  await made.conversation.open();
  made.api.append();
  await expect.poll(made.shown).toEqual(['row 1: complete', 'row 2: complete']);
});

test('offline: a page that wakes waits for no retry, and is live again as soon as it has read', async () => {
  const page = new FakePage(false);
  await using made = makeConversation((fake) => fake.append(), { page });
  const { api, conversation, connection } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  const busy = refusal(503, 'unavailable');
  if (!isApiError(busy)) throw busy;
  api.faults.set('latest', Object.assign(busy, { retryAfterMs: 3_600_000 }));
  api.wake();
  page.wake();
  await expect.poll(connection).toBe('offline');
  api.faults.clear();
  // Nothing new is stored, so a waiting request would not be answered.
  page.wake();
  await expect.poll(connection).toBe('live');
});

test('out of the room: a page that wakes joins at once', async () => {
  const page = new FakePage(false);
  const timing = { rejoinMs: [3_600_000] };
  await using made = makeConversation(undefined, { page, timing });
  const { room, conversation, connection } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  room.close('SERVER_SHUTDOWN');
  await expect.poll(connection).toBe('reconnecting');
  await expect
    .poll(() => {
      page.wake();
      return room.tokens.length;
    })
    .toBe(2);
});

test('a closed conversation has no listener on its page', async () => {
  const page = new FakePage(false);
  const made = makeConversation(undefined, { page });
  await made.conversation.open();
  expect(page.listeners.size).toBe(1);
  await made.conversation.close();
  expect(page.listeners.size).toBe(0);
});
