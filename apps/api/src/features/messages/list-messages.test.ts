import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';
import { statementsOf } from '../../../testing/statements-of.ts';

function typedText(sessionId: string, content: string) {
  const metadata = { kind: 'text', participant: null };
  const said = { role: 'user', status: 'complete', kind: 'text' } as const;
  return { sessionId, id: uuidv7(), receivedAt: Date.now(), content, metadata, ...said };
}

test('200 with the newest first, 50 a page; the cursor is the oldest message of the previous page', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/messages`;
  expect((await api.inject(ana, { url })).json()).toEqual({ items: [], nextCursor: null });
  const sent = Array.from({ length: 51 }, (_, index) => typedText(sessionId, `${index}`));
  await db.appendMessages(api.deps.database, sent);
  const first = (await api.inject(ana, { url })).json();
  expect(first.items).toHaveLength(50);
  expect(first.items[0]).toEqual({
    id: sent[50]?.id,
    sessionId,
    content: '50',
    role: 'user',
    status: 'complete',
    metadata: { kind: 'text', participant: null },
    timestamp: expect.stringMatching(/\.\d{3}Z$/),
    createdAt: expect.stringMatching(/\.\d{3}Z$/),
  });
  expect(first.nextCursor).toBe(sent[1]?.id);
  const rest = (await api.inject(ana, { url: `${url}?cursor=${first.nextCursor}` })).json();
  expect(rest).toMatchObject({ items: [{ id: sent[0]?.id }], nextCursor: null });
  const hundred = (await api.inject(ana, { url: `${url}?limit=100` })).json();
  expect([hundred.items.length, hundred.nextCursor]).toEqual([51, null]);
});

test('200 with the oldest first by order=asc; the cursor is the newest message of the previous page', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/messages?order=asc&limit=2`;
  const sent = Array.from({ length: 3 }, (_, index) => typedText(sessionId, `${index}`));
  await db.appendMessages(api.deps.database, sent);
  const first = (await api.inject(ana, { url })).json();
  expect(first).toMatchObject({
    items: [{ content: '0' }, { content: '1' }],
    nextCursor: sent[1]?.id,
  });
  const rest = (await api.inject(ana, { url: `${url}&cursor=${first.nextCursor}` })).json();
  expect(rest).toMatchObject({ items: [{ content: '2' }], nextCursor: null });
  const newest = await api.inject(ana, { url: url.replace('asc', 'desc') });
  expect(newest.json()).toMatchObject({ items: [{ content: '2' }, { content: '1' }] });
});

test('200 with the messages of one kind, of one role, or of both, by the same cursor', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const sent = ['text', 'transcript', 'text', 'transcript'].map((kind, index) => ({
    ...typedText(sessionId, `${index}`),
    kind,
    role: index < 2 ? ('user' as const) : ('assistant' as const),
  }));
  await db.appendMessages(api.deps.database, sent);
  const read = async (query: string) => {
    const url = `/sessions/${sessionId}/messages?${query}`;
    const { items, nextCursor } = (await api.inject(ana, { url })).json();
    return [items.map(({ content }: { content: string }) => content), nextCursor];
  };
  expect(await read('kind=text')).toEqual([['2', '0'], null]);
  expect(await read('role=user&order=asc')).toEqual([['0', '1'], null]);
  expect(await read('kind=transcript&role=assistant')).toEqual([['3'], null]);
  expect(await read('kind=none')).toEqual([[], null]);
  expect(await read('kind=text&limit=1')).toEqual([['2'], sent[2]?.id]);
  expect(await read(`kind=text&limit=1&cursor=${sent[2]?.id}`)).toEqual([['0'], null]);
  expect(await read(`kind=transcript&cursor=${sent[2]?.id}`)).toEqual([['1'], null]);
});

test('200 with one statement, for a person, a key and an end user alike', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const url = `/sessions/${sessionId}/messages`;
  const latest = `${url}/latest?since=2026-01-01T00:00:00Z`;
  const key = await api.createKey(projectId);
  for (const caller of [ana, key, await api.createParticipant(key, sessionId)]) {
    const names = await statementsOf(async () => {
      expect((await api.inject(caller, { url })).statusCode).toBe(200);
      expect((await api.inject(caller, { url: latest })).statusCode).toBe(200);
    });
    expect(names).toEqual(['page_messages', 'latest_messages']);
  }
});

test('400 for a cursor of another session, and for unknown query parameters', async ({
  api,
  ana,
}) => {
  const [own, other] = [await api.createSession(ana), await api.createSession(ana)];
  const elsewhere = typedText(other, 'hi');
  await db.appendMessages(api.deps.database, [elsewhere]);
  const refusals = [
    [`?cursor=${elsewhere.id}`, 'invalid_cursor'],
    [`?cursor=${uuidv7()}`, 'invalid_cursor'],
    ['?cursor=7', 'invalid_request'],
    ['?limit=0', 'invalid_request'],
    ['?limit=101', 'invalid_request'],
    ['?order=up', 'invalid_request'],
    ['?role=agent', 'invalid_request'],
    ['?kind=', 'invalid_request'],
    [`?kind=text&cursor=${elsewhere.id}`, 'invalid_cursor'],
    ['?since=2026-11-21T08:00:00Z', 'invalid_request'],
  ];
  for (const [query, code] of refusals) {
    const answer = await api.inject(ana, { url: `/sessions/${own}/messages${query}` });
    expect([query, answer.statusCode, answer.json().code]).toEqual([query, 400, code]);
  }
});
