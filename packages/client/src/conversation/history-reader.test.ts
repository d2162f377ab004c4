import { expect, test, vi } from 'vitest';
import { makeConversation, openConversation } from '../../testing/conversations.ts';

/**
 * Returns a conversation with 600 rows, a function that opens one of them, and a function that returns the rows of the
 * detached part.
 */
async function openLongConversation() {
  const made = await openConversation((api) => api.appendMany(600));
  const { api, conversation } = made;
  return {
    ...made,
    open: async (row: number) => await conversation.at(api.history.rows[row - 1]?.timestamp ?? ''),
    detached: () =>
      conversation.timeline.getDetachedSnapshot()?.items.map(({ content }) => content),
  };
}

test.each<
  [string, string | undefined, (made: Awaited<ReturnType<typeof openLongConversation>>) => unknown]
>([
  ['is closed', undefined, ({ conversation }) => conversation.closeDetached()],
  ['is replaced by another', 'row 300', async ({ open }) => await open(300)],
])('a part that %s before its answer stays away', async (_, expected, act) => {
  await using made = await openLongConversation();
  const { api, open, detached } = made;
  const { promise, resolve } = Promise.withResolvers<void>();
  const lists = api.count('list');
  api.reading = promise;
  const late = open(100);
  await expect.poll(() => api.count('list')).toBe(lists + 1);
  api.reading = Promise.resolve();
  await act(made);
  resolve();
  await late;
  expect(detached()?.includes('row 100') ?? false).toBe(false);
  expect(detached()?.find((content) => content === expected)).toBe(expected);
});

test('a part that is asked for before the newest page is there is opened after it', async () => {
  await using made = makeConversation((api) => api.appendMany(600));
  const { api, conversation, shown } = made;
  const { promise, resolve } = Promise.withResolvers<void>();
  api.reading = promise;
  const opening = conversation.open();
  const part = conversation.at(api.history.rows[99]?.timestamp ?? '');
  await expect.poll(() => api.count('list')).toBe(1);
  expect(conversation.timeline.getDetachedSnapshot()).toBeUndefined();
  api.reading = Promise.resolve();
  resolve();
  await Promise.all([opening, part]);
  const items = conversation.timeline.getDetachedSnapshot()?.items;
  expect(items?.map(({ content }) => content)).toContain('row 100');
  expect(shown()).toHaveLength(100);
});

test('a part that was closed is opened again', async () => {
  await using made = await openLongConversation();
  const { conversation, open, detached } = made;
  await open(100);
  conversation.closeDetached();
  await open(100);
  expect(detached()).toContain('row 100');
});

test('reading back from a row that retention has deleted starts again with the newest page', async () => {
  await using made = await openConversation((api) => api.appendMany(250));
  const { api, conversation, shown } = made;
  await expect.poll(() => api.waits.at(-1)).toBe(25);
  api.history.deleteOldest(160);
  await conversation.older();
  await expect.poll(shown).toHaveLength(90);
  expect(shown()[0]).toBe('row 161: complete');
  expect(conversation.timeline.getSnapshot()).toMatchObject({
    hasOlder: false,
    loadingOlder: false,
  });
});

test('reading back in a detached part from a deleted row closes the part alone', async () => {
  await using made = await openLongConversation();
  const { api, conversation, open, detached, shown } = made;
  await open(300);
  api.history.deleteOldest(450);
  await conversation.detachedOlder();
  expect(detached()).toBeUndefined();
  expect(shown()[0]).toBe('row 501: complete');
  await conversation.older();
  expect(shown()[0]).toBe('row 451: complete');
});

test('reading back in a part that was closed meanwhile changes nothing', async () => {
  await using made = await openLongConversation();
  const { api, conversation, open, detached } = made;
  await open(300);
  const { promise, resolve } = Promise.withResolvers<void>();
  api.reading = promise;
  const late = conversation.detachedOlder();
  api.reading = Promise.resolve();
  conversation.closeDetached();
  await open(400);
  api.history.deleteOldest(300);
  resolve();
  await late;
  expect(detached()).toContain('row 400');
});

test('`refresh` ends the wait of the shared next attempt; a room that comes back does not', async () => {
  await using made = await openConversation();
  const { api, room, conversation, connection } = made;
  const retryNow = vi.fn<() => void>();
  Object.assign(api, { retryNow });
  await expect.poll(connection).toBe('live');
  room.listener.lost();
  room.listener.restored();
  expect(retryNow).not.toHaveBeenCalled();
  conversation.refresh();
  expect(retryNow).toHaveBeenCalledOnce();
});
