import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

/** A time later than the head of every new session. */
const NOON = Date.parse('2100-01-01T12:00:00.000Z');

function spoken(sessionId: string, ms: number, status: 'pending' | 'complete' = 'complete') {
  const said = { role: 'assistant', kind: 'transcript', content: status, metadata: null } as const;
  return { sessionId, id: uuidv7(), receivedAt: NOON + ms, status, ...said };
}

test('200 with the messages after `since`, the oldest first; `nextSince` continues after the last one', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const sent = [1, 2, 3, 4].map((ms) => spoken(sessionId, ms));
  await api.deps.messages.appendMessages(sent);
  const read = async (query: string) => {
    const url = `/sessions/${sessionId}/messages/latest?${query}`;
    const { items, ...rest } = (await api.inject(ana, { url })).json();
    return { ids: items.map(({ id }: { id: string }) => id), ...rest };
  };
  const ids = sent.map(({ id }) => id);
  const end = '2100-01-01T12:00:00.004Z';
  expect(await read('since=2100-01-01T12:00:00.000Z&limit=2')).toEqual({
    ids: ids.slice(0, 2),
    nextSince: '2100-01-01T12:00:00.002Z',
    hasMore: true,
  });
  expect(await read('since=2100-01-01T12:00:00.002Z&limit=2')).toEqual({
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
  expect(await read('since=2100-01-01T13:00:00.0009999%2B01:00')).toEqual(all);
});

test('200 with a completed message once more, after the messages that came before its completion', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const [slow, quick] = [spoken(sessionId, 1, 'pending'), spoken(sessionId, 2)];
  await api.deps.messages.appendMessages([slow, quick]);
  const url = `/sessions/${sessionId}/messages/latest`;
  const first = await api.inject(ana, { url: `${url}?since=2000-01-01T00:00:00Z` });
  expect(first.json().items).toMatchObject([{ status: 'pending' }, { id: quick.id }]);
  await api.deps.messages.appendMessages([{ ...slow, status: 'complete', content: 'all of it' }]);
  const next = await api.inject(ana, { url: `${url}?since=${first.json().nextSince}` });
  expect(next.json()).toMatchObject({
    items: [{ id: slow.id, status: 'complete', content: 'all of it' }],
    nextSince: '2100-01-01T12:00:00.003Z',
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
