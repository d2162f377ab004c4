import type { LatestMessageRows } from '@session/db';
import { expect, test, vi } from 'vitest';
import { followMessages, shareEvents } from './follow-messages.ts';
import { WaitingReaders } from './waiting-readers.ts';

const START = '2000-01-01T00:00:00.000Z';

test('a quiet stream shows that it is open, without a read of its own, until its reader’s membership ends', async () => {
  const first = {
    memberRole: 'MEMBER',
    nextSince: START,
    hasMore: false,
    isReset: false,
    lastAt: START,
  } as const;
  const latest = { ...first, messages: [] };
  const read = vi.fn<() => Promise<LatestMessageRows | undefined>>();
  const looks = [[], [], [0]];
  let time = 0;
  await using readers = new WaitingReaders({
    messages: { latestMessagesOfReaders: async () => new Map() },
    limitMs: 5000,
    looks: {
      listHeads: async (ids) => ids.map((sessionId) => ({ sessionId, lastAt: START })),
      listFormerReaders: async () => looks.shift() ?? [],
    },
    everyMs: 1,
    // Each look is six seconds later.
    now: () => (time += 6000),
  });
  const { signal } = new AbortController();
  const reader = { sessionId: 's', userId: 'u', limit: 50, from: null };
  const stream = { ...reader, position: START, read, eventsOf: shareEvents(), signal };
  const texts = (await Array.fromAsync(followMessages(readers, stream, latest))).map(String);
  const retryMs = Number(/^retry: (\d+)\nid: .*\n\n$/.exec(texts[0] ?? '')?.[1]);
  expect(retryMs).toBeGreaterThanOrEqual(500);
  expect(retryMs).toBeLessThan(2500);
  const quiet = texts.slice(1, -1);
  expect(new Set(quiet)).toEqual(new Set([':\n\n']));
  expect(texts.at(-1)).toBe('event: end\ndata: {"reason":"not_found"}\n\n');
  expect(read).not.toHaveBeenCalled();
});
