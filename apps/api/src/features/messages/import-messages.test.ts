import * as db from '@session/db';
import { holdLocks } from '@session/testing';
import { expect, vi } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest } from '../../../testing/api-test.ts';
import { START, spoken } from '../../../testing/history.ts';

const test = apiTest.extend('send', ({ api, ana, sessionId }) => {
  return async (messages: object[], user = ana) => await sendTo(api, user, sessionId, messages);
});

const FIRST = '2026-05-01T12:00:00.000Z';
const SECOND = '2026-05-01T12:00:05.000Z';

const question = {
  id: 'q1',
  role: 'user',
  content: 'Do you have a room?',
  timestamp: FIRST,
  participant: { id: 'customer-7', name: 'Ada' },
};
const answer = {
  id: 'a1',
  role: 'assistant',
  content: 'For which night?',
  timestamp: SECOND,
  participant: { name: 'Front desk' },
};
const note = { id: 'n1', role: 'system', content: 'Handed over', timestamp: SECOND };

async function sendTo(api: TestApi, user: TestUser, sessionId: string, messages: object[]) {
  const url = `/sessions/${sessionId}/import`;
  return await api.inject(user, { method: 'POST', url, payload: { messages } });
}

test('200: texts with their times, marked as imported; an end user is who they are in the room', async ({
  api,
  ana,
  projectId,
  sessionId,
  send,
}) => {
  const key = await api.createKey(projectId, 'ADMIN');
  const sent = await send([question, answer, note], key);
  expect([sent.statusCode, sent.json()]).toEqual([200, { imported: 3, unchanged: 0 }]);
  const ada = await api.createParticipant(key, sessionId, 'customer-7');
  const list = await api.inject(ada, { url: `/sessions/${sessionId}/messages?order=asc` });
  const common = { kind: 'text', source: 'import' };
  const { items } = list.json();
  expect(items).toMatchObject([
    {
      role: 'user',
      content: 'Do you have a room?',
      status: 'complete',
      timestamp: FIRST,
      metadata: {
        ...common,
        rawId: 'q1',
        participant: {
          identity: `user-${ada.id}`,
          name: 'Ada',
          kind: 'standard',
          externalId: 'customer-7',
        },
      },
    },
    {
      role: 'assistant',
      timestamp: SECOND,
      metadata: {
        ...common,
        participant: { identity: 'import-Front desk', name: 'Front desk', kind: 'agent' },
      },
    },
    {
      role: 'system',
      timestamp: '2026-05-01T12:00:05.001Z',
      metadata: { ...common, participant: null },
    },
  ]);
  const answers = await api.inject(ana, { url: `/sessions/${sessionId}/messages?role=assistant` });
  expect(answers.json().items).toEqual([items[1]]);
  const file = await api.inject(ana, { url: `/sessions/${sessionId}/export` });
  expect(
    file.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(items);
  const found = await api.inject(ana, { url: `/projects/${projectId}/sessions?q=session` });
  expect(found.json().items).toMatchObject([
    {
      recording: { messageCount: 3, coverage: [], gaps: [] },
      lastMessage: { content: 'For which night?', timestamp: SECOND },
    },
  ]);
  const state = await api.inject(ana, { url: `/sessions/${sessionId}/state` });
  expect(state.json()).toMatchObject({ plans: [], agents: [] });
});

test('200 for a repeat, which changes nothing; 409 for another message under an id, which imports none', async ({
  api,
  ana,
  sessionId,
  send,
}) => {
  await send([question]);
  expect((await send([question, answer])).json()).toEqual({ imported: 1, unchanged: 1 });
  const list = async () =>
    (await api.inject(ana, { url: `/sessions/${sessionId}/messages` })).json().items;
  const before = await list();
  for (const part of [{ content: 'Other' }, { participant: { id: 'customer-8', name: 'Ada' } }]) {
    const refused = await send([{ ...question, ...part }, note]);
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'message_id_taken']);
    expect(refused.json().detail).toContain('q1');
  }
  expect((await send([question, answer])).json()).toEqual({ imported: 0, unchanged: 2 });
  expect(await list()).toEqual(before);
});

test('200 where a request ends between messages of one time', async ({
  api,
  ana,
  sessionId,
  send,
}) => {
  await send([question, answer, note]);
  const next = { ...note, id: 'n2' };
  expect((await send([next])).json()).toEqual({ imported: 1, unchanged: 0 });
  expect((await send([answer, note, next])).json()).toEqual({ imported: 0, unchanged: 3 });
  const list = await api.inject(ana, { url: `/sessions/${sessionId}/messages?limit=1` });
  expect(list.json().items).toMatchObject([
    { timestamp: '2026-05-01T12:00:05.002Z', metadata: { rawId: 'n2' } },
  ]);
});

test('409 for an older message, for a conversation that has begun, and in a CLOSED session', async ({
  api,
  ana,
  sessionId,
  send,
}) => {
  const codeOf = async (message: object) => (await send([message])).json().code;
  await send([answer]);
  expect(await codeOf(question)).toBe('import_order');
  await db.appendMessages(api.deps.database, [spoken(sessionId)]);
  expect(await codeOf(note)).toBe('conversation_begun');
  await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
  expect(await codeOf(note)).toBe('session_closed');
});

test.for([
  ['none', []],
  ['an older one behind a later one', [answer, question]],
  ['two of one id', [question, { ...answer, id: 'q1' }]],
  ['one from the future', [{ ...question, timestamp: '2100-01-01T00:00:00Z' }]],
  ['an end user as the assistant', [{ ...answer, participant: { id: '7', name: 'Ada' } }]],
  ['one from before 1970', [{ ...question, timestamp: '0001-01-01T00:00:00Z' }]],
  ['an empty one', [{ ...question, content: '' }]],
  ['a kind of message', [{ ...question, kind: 'complete_todo_list' }]],
  ['1001', Array.from({ length: 1001 }, (_, index) => ({ ...question, id: `${index}` }))],
] as const)('400 for %s', async ([, messages], { send }) => {
  const refused = await send([...messages]);
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

function many(bytes: number) {
  const content = 'x'.repeat(bytes);
  return Array.from({ length: 1000 }, (_, index) => ({ ...question, id: `m${index}`, content }));
}

test('413 above 4 MiB; a thousand messages of 3 KB are fewer', async ({ send }) => {
  const refused = await send(many(5000));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    413,
    { code: 'body_too_large', detail: expect.stringContaining('at most 4 MiB') },
  ]);
  expect((await send(many(3000))).json()).toEqual({ imported: 1000, unchanged: 0 });
});

test('waiting readers get what was imported at once, and those since a join nothing', async ({
  api,
  ana,
  projectId,
  sessionId,
  send,
}) => {
  const key = await api.createKey(projectId, 'ADMIN');
  const first = await api.inject(ana, {
    url: `/sessions/${sessionId}/messages/latest?since=9999-01-01T00:00:00Z`,
  });
  const since = first.json().nextSince;
  const path = `/sessions/${sessionId}/messages/latest`;
  const waiting = api.inject(ana, { url: `${path}?wait=25&since=${since}` });
  await send([question, answer], key);
  const news = (await waiting).json();
  expect(news.items).toMatchObject([{ timestamp: FIRST }, { timestamp: SECOND }]);
  expect(news.nextSince > since).toBe(true);
  const token = await api.inject(key, {
    method: 'POST',
    url: `/sessions/${sessionId}/token`,
    payload: { participant: { id: 'customer-7', name: 'Ada' }, history: 'since_join' },
  });
  const ada = { ...ana, token: token.json().accessToken };
  const latest = await api.inject(ada, { url: `${path}?since=${START}` });
  expect(latest.json().items).toEqual([]);
});

test('503 while the session’s clock is far ahead, after the database’s was set back', async ({
  api,
  sessionId,
  send,
}) => {
  const { sql } = api.deps.database;
  await sql`update session_heads set last_at = now() + interval '1 min' where session_id = ${sessionId}`;
  const refused = await send([question]);
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'unavailable']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
});

test('an import waits while the session’s clock is too far ahead of the database’s', async ({
  api,
  sessionId,
  send,
}) => {
  const { sql } = api.deps.database;
  await sql`update session_heads set last_at = now() + interval '1050 ms' where session_id = ${sessionId}`;
  expect((await send([question])).json()).toEqual({ imported: 1, unchanged: 0 });
  const [head] = await sql`
    select last_at <= now() + interval '1 s' as near from session_heads where session_id = ${sessionId}`;
  expect(head).toEqual({ near: true });
});

test('an import that is stored after its 503 wakes the readers of the session', async ({
  database,
  ana,
  sessionId,
}) => {
  const lock = await holdLocks(
    database.url,
    (sql) => sql`select from session_heads where session_id = ${sessionId} for no key update`,
  );
  await using _ = lock;
  const timeLimits = { requestMs: 400, statementMs: 300, serverMs: 120_000 };
  await using api = await startTestApi(`${database.url}?lock_timeout=0`, { timeLimits });
  const notify = vi.spyOn(api.deps.storedNotifier, 'notify');
  // Several times, because some requests end before they have found the session.
  const sendLate = async () => {
    const late = await sendTo(api, ana, sessionId, [question]);
    expect(late.statusCode).toBe(503);
    return await api.deps.database.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  };
  await expect.poll(sendLate).not.toHaveLength(0);
  expect(notify).not.toHaveBeenCalled();
  await lock[Symbol.asyncDispose]();
  await expect.poll(() => notify.mock.calls).toEqual([[[sessionId]]]);
});
