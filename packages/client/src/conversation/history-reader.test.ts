import { expect, test } from 'vitest';
import { openConversation } from '../../testing/conversations.ts';

/** Returns a conversation with 600 rows, what opens one of them, and which rows the detached part has. */
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

test('a part that was closed is opened again', async () => {
  await using made = await openLongConversation();
  const { conversation, open, detached } = made;
  await open(100);
  conversation.closeDetached();
  await open(100);
  expect(detached()).toContain('row 100');
});
