import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

/** Returns a message of an agent, received at a time in milliseconds. */
function spoken(
  sessionId: string,
  receivedAt: number,
  status: 'pending' | 'complete' = 'complete',
) {
  const said = { role: 'assistant', kind: 'transcript', content: status } as const;
  const metadata = { participant: { identity: 'agent-1' } };
  return { sessionId, id: uuidv7(), receivedAt, status, metadata, ...said };
}

/** Creates a session, and returns a function for times after its creation. */
async function createSession(api: TestApi, user: TestUser) {
  const sessionId = await api.createSession(user);
  const { createdAt } = (await api.inject(user, { url: `/sessions/${sessionId}` })).json();
  const at = (ms: number) => Date.parse(createdAt) + ms;
  return { sessionId, at, isoAt: (ms: number) => new Date(at(ms)).toISOString() };
}

test('200 with the messages after `since`, the oldest first; `nextSince` continues after the last one', async ({
  api,
  ana,
}) => {
  const { sessionId, at, isoAt } = await createSession(api, ana);
  const sent = [1, 2, 3, 4].map((ms) => spoken(sessionId, at(ms)));
  await db.appendMessages(api.deps.database, sent);
  const read = async (query: string) => {
    const url = `/sessions/${sessionId}/messages/latest?${query}`;
    const { items, ...rest } = (await api.inject(ana, { url })).json();
    return { ids: items.map(({ id }: { id: string }) => id), ...rest };
  };
  const ids = sent.map(({ id }) => id);
  const end = isoAt(4);
  expect(await read(`since=${isoAt(0)}&limit=2`)).toEqual({
    ids: ids.slice(0, 2),
    nextSince: isoAt(2),
    hasMore: true,
  });
  expect(await read(`since=${isoAt(2)}&limit=2`)).toEqual({
    ids: ids.slice(2),
    nextSince: end,
    hasMore: false,
  });
  expect(await read(`since=${end}`)).toEqual({ ids: [], nextSince: end, hasMore: false });
  expect(await read('since=9999-12-31T23:59:59-12:00')).toEqual({
    ids: [],
    nextSince: end,
    hasMore: false,
  });
  const all = { ids, nextSince: end, hasMore: false };
  expect(await read('since=0001-01-01T00:00:00Z')).toEqual(all);
  // The offset of UTC+1, and finer than a millisecond: the time is truncated, because rounding up would lose the first message.
  const inParis = isoAt(3_600_000).replace('Z', '9999%2B01:00');
  expect(await read(`since=${inParis}`)).toEqual(all);
});

test('200 with a completed message once more, after the messages that came before its completion', async ({
  api,
  ana,
}) => {
  const { sessionId, at, isoAt } = await createSession(api, ana);
  const [slow, quick] = [spoken(sessionId, at(1), 'pending'), spoken(sessionId, at(2))];
  await db.appendMessages(api.deps.database, [slow, quick]);
  const url = `/sessions/${sessionId}/messages/latest`;
  const first = await api.inject(ana, { url: `${url}?since=2000-01-01T00:00:00Z` });
  expect(first.json().items).toMatchObject([{ status: 'pending' }, { id: quick.id }]);
  await db.appendMessages(api.deps.database, [
    { ...slow, status: 'complete', content: 'all of it' },
  ]);
  const next = await api.inject(ana, { url: `${url}?since=${first.json().nextSince}` });
  expect(next.json()).toMatchObject({
    items: [{ id: slow.id, status: 'complete', content: 'all of it' }],
    nextSince: isoAt(3),
  });
  expect(next.json().items[0].timestamp).toBe(first.json().items[0].timestamp);
});

const badQueries = [
  '',
  'since=',
  'since=yesterday',
  'since=1795247711560',
  'since=2026-11-21',
  'since=2026-02-30T00:00:00Z',
  'since=2026-11-21T08:00:00',
  'since=2026-11-21T08:00:00Z&since=2026-11-21T08:00:00Z',
  'since=2026-11-21T08:00:00Z&limit=0',
  'since=2026-11-21T08:00:00Z&limit=501',
  'since=2026-11-21T08:00:00Z&wait=-1',
  'since=2026-11-21T08:00:00Z&wait=0.5',
  'since=2026-11-21T08:00:00Z&wait=26',
  'since=2026-11-21T08:00:00Z&wait=long',
];

test('400 for an invalid time, a limit out of range, and unknown query parameters', async ({
  api,
  ana,
}) => {
  const url = `/sessions/${await api.createSession(ana)}/messages/latest`;
  for (const query of badQueries) {
    const answer = await api.inject(ana, { url: `${url}?${query}` });
    expect([query, answer.statusCode, answer.json().code]).toEqual([query, 400, 'invalid_request']);
  }
});
