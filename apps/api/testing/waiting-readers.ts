import type { LatestMessageRows } from '@session/db';
import { vi } from 'vitest';
import {
  WaitingReaders,
  type WaitingReadersOptions,
} from '../src/features/messages/waiting-readers.ts';

export const PLACE = '2026-11-21T08:00:00.000Z';
export const NEWER = '2026-11-21T08:00:00.001Z';
export const empty: LatestMessageRows = {
  memberRole: 'MEMBER',
  messages: [],
  hasMore: false,
  nextSince: PLACE,
  lastAt: PLACE,
  isReset: false,
};
const message = {
  id: '01a04fd2-0000-7000-8000-000000000001',
  timestamp: NEWER,
  createdAt: NEWER,
  seenAt: NEWER,
  role: 'user' as const,
  status: 'complete' as const,
  content: 'hello',
  metadata: null,
};
export const news: LatestMessageRows = {
  ...empty,
  messages: [message],
  nextSince: NEWER,
  lastAt: NEWER,
};

/** Hand-written queries: the real database cannot be made to time out, fail and answer late at a given moment. */
export function openReaders(now?: () => number, everyMs = 1) {
  const heads = new Map<string, string>();
  const messages = {
    listHeads: vi.fn<WaitingReadersOptions['looks']['listHeads']>(async (ids) =>
      ids.flatMap((sessionId) => {
        const lastAt = heads.get(sessionId);
        return lastAt === undefined ? [] : { sessionId, lastAt };
      }),
    ),
    latestMessagesOfReaders: vi.fn<WaitingReadersOptions['messages']['latestMessagesOfReaders']>(
      async ({ userIds }) => new Map(userIds.map((userId) => [userId, news])),
    ),
    listFormerReaders: vi.fn<WaitingReadersOptions['looks']['listFormerReaders']>(async () => []),
  };
  const readers = new WaitingReaders({
    messages,
    limitMs: 5000,
    looks: messages,
    everyMs,
    ...(now && { now }),
  });
  const { signal } = new AbortController();
  const wait = (sessionId: string, userId = 'ana', leave = signal, since = PLACE) => {
    const query = { sessionId, userId, since, limit: 100, from: null };
    return readers.wait(query, empty, 25_000, leave);
  };
  const [first, second] = ['first', 'second'];
  for (const id of [first, second]) heads.set(id, PLACE);
  const end = () => readers[Symbol.asyncDispose]();
  return { readers, heads, messages, wait, first, second, [Symbol.asyncDispose]: end };
}
