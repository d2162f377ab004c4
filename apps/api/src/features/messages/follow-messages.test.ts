import type { LatestMessageRows } from '@session/db';
import { expect, test, vi } from 'vitest';
import { followMessages, shareEvents } from './follow-messages.ts';
import { WaitingReaders } from './waiting-readers.ts';

const START = '2000-01-01T00:00:00.000Z';

test('a quiet stream shows that it is open, and asks again whether the reader may read', async () => {
  const first = {
    memberRole: 'MEMBER',
    nextSince: START,
    hasMore: false,
    isReset: false,
    lastAt: START,
  } as const;
  const latest = { ...first, messages: [] };
  const read = vi.fn<() => Promise<LatestMessageRows | undefined>>(async () => undefined);
  read.mockResolvedValueOnce(latest);
  let time = 0;
  await using readers = new WaitingReaders({
    messages: {
      listHeads: async (ids) => ids.map((sessionId) => ({ sessionId, lastAt: START })),
      latestMessagesOfReaders: async () => new Map(),
    },
    everyMs: 1,
    // Each look is six seconds later.
    now: () => (time += 6000),
  });
  const { signal } = new AbortController();
  const reader = { sessionId: 's', userId: 'u', limit: 50, from: null };
  const stream = { ...reader, first: latest, read, eventsOf: shareEvents(), signal };
  const texts = (await Array.fromAsync(followMessages(readers, stream))).map(String);
  expect(texts.slice(1)).toEqual([
    ':\n\n',
    ':\n\n',
    'event: end\ndata: {"reason":"not_found"}\n\n',
  ]);
  expect(read).toHaveBeenCalledTimes(2);
});
