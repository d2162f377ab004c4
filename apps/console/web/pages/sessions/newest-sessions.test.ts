import type { ListedSession } from '@session/contract';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SessionPages, type SessionsPage, withNewest } from './newest-sessions.ts';

const PAGE = 3;

/** Returns the session that was created as number `n`. */
function session(n: number): ListedSession {
  const at = new Date(Date.UTC(2026, 10, 22) + n).toISOString();
  return {
    id: String(n).padStart(4, '0'),
    projectId: 'p',
    name: `session ${n}`,
    status: 'ACTIVE',
    createdBy: 'u',
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    historyFrom: null,
    closeReason: null,
    metadata: {},
    externalId: null,
    recording: {
      status: 'waiting',
      since: null,
      messageCount: 0,
      lastMessageAt: null,
      coverage: [],
      gaps: [],
      missing: [],
    },
    lastMessage: null,
    agents: [],
  };
}

/** Answers as the API does: the newest first, after the cursor. */
function pageOf(numbers: readonly number[], cursor?: string | null): SessionsPage {
  const sorted = numbers.toSorted((a, b) => b - a).map(session);
  const rest = cursor ? sorted.filter(({ id }) => id < cursor) : sorted;
  const items = rest.slice(0, PAGE);
  return { items, nextCursor: rest.length > PAGE ? (items.at(-1)?.id ?? null) : null };
}

function readAll(numbers: readonly number[], pages: number): SessionPages {
  const read = [pageOf(numbers)];
  while (read.length < pages) {
    const cursor = read.at(-1)?.nextCursor;
    if (!cursor) break;
    read.push(pageOf(numbers, cursor));
  }
  return { pages: read, pageParams: read.map((_, index) => (index ? String(index) : undefined)) };
}

const idsOf = ({ pages }: SessionPages) => pages.flatMap(({ items }) => items.map(({ id }) => id));

test('a session created meanwhile stands first, and older pages stay', () => {
  const read = readAll([1, 2, 3, 4, 5, 6, 7], 3);
  expect(idsOf(withNewest(read, pageOf([1, 2, 3, 4, 5, 6, 7, 8])))).toEqual([
    '0008',
    '0007',
    '0006',
    '0005',
    '0004',
    '0003',
    '0002',
    '0001',
  ]);
});

test('more new sessions than a page holds: the list begins again instead of having a hole', () => {
  const read = readAll([1, 2, 3, 4, 5], 2);
  const now = [1, 2, 3, 4, 5, 11, 12, 13, 14];
  expect(withNewest(read, pageOf(now)).pages).toEqual([pageOf(now)]);
});

test('whatever was created and deleted, reading on yields every session once, in order', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(numbers, numbers, fc.integer({ min: 1, max: 4 }), (before, created, pages) => {
      const old = before.map((n) => n);
      const now = [...old, ...created.map((n) => n + 40)];
      let list = withNewest(readAll(old, pages), pageOf(now));
      for (let cursor = list.pages.at(-1)?.nextCursor; cursor; ) {
        const next = pageOf(now, cursor);
        list = { pages: [...list.pages, next], pageParams: [...list.pageParams, cursor] };
        cursor = next.nextCursor;
      }
      expect(idsOf(list)).toEqual(now.toSorted((a, b) => b - a).map((n) => session(n).id));
    }),
  );
});

test('a session deleted meanwhile leaves the first page, and what moves up is not doubled', () => {
  const read = readAll([1, 2, 3, 4, 5, 6, 7], 3);
  expect(idsOf(withNewest(read, pageOf([1, 2, 3, 4, 5, 7])))).toEqual([
    '0007',
    '0005',
    '0004',
    '0003',
    '0002',
    '0001',
  ]);
});
