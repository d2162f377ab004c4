import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { statementsOf } from '../../../testing/statements-of.ts';

test('200 with the newest first, a page at a time, of all or of one status', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift(await api.createSession(ana, projectId));
  }
  await db.closeSession(api.deps.database, ids[1] ?? '', 'user');
  const read = async (query: string) => {
    const { items, nextCursor } = (
      await api.inject(ana, { url: `/projects/${projectId}/sessions${query}` })
    ).json();
    return [items.map(({ id }: { id: string }) => id), nextCursor];
  };
  expect(await read('')).toEqual([ids, null]);
  expect(await read('?limit=2')).toEqual([ids.slice(0, 2), ids[1]]);
  expect(await read(`?limit=2&cursor=${ids[1]}`)).toEqual([ids.slice(2), null]);
  expect(await read('?status=CLOSED')).toEqual([[ids[1]], null]);
  expect(await read(`?status=ACTIVE&limit=1&cursor=${ids[0]}`)).toEqual([[ids[2]], null]);
});

test('200 with the sessions that match all parameters, the oldest first if asked for', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}/sessions`;
  const create = async (payload: object): Promise<{ id: string; createdAt: string }> =>
    (await api.inject(ana, { method: 'POST', url, payload })).json();
  const metadata = { customer: 'c-17', 'of us': 'a&b=c' };
  const first = await create({ name: 'Éclair order', metadata, externalId: 'order/1' });
  const second = await create({ name: 'A late order', metadata: { customer: 'c-17' } });
  const third = await create({ name: 'Orders', metadata: { customer: 'c-18' } });
  await api.deps.database.sql`
    update sessions set created_at = created_at - interval '1 h' where id = ${first.id}`;
  const read = async (query: string) => {
    const { items, nextCursor } = (await api.inject(ana, { url: `${url}?${query}` })).json();
    return [items.map(({ id }: { id: string }) => id), nextCursor];
  };
  const all = [third.id, second.id, first.id];
  expect(await read('order=asc')).toEqual([all.toReversed(), null]);
  expect(await read('order=asc&limit=1')).toEqual([[first.id], first.id]);
  expect(await read('q=ORDER')).toEqual([all, null]);
  expect(await read('q=order+late')).toEqual([[second.id], null]);
  expect(await read(`q=${encodeURIComponent('éc')}`)).toEqual([[first.id], null]);
  expect(await read('q=rder')).toEqual([[], null]);
  expect(await read('metadata[customer]=c-17')).toEqual([all.slice(1), null]);
  expect(await read('metadata%5Bcustomer%5D=c-17&q=late')).toEqual([[second.id], null]);
  const value = encodeURIComponent('a&b=c');
  expect(await read(`metadata[of+us]=${value}&metadata[customer]=c-17`)).toEqual([
    [first.id],
    null,
  ]);
  expect(await read(`externalId=${encodeURIComponent('order/1')}`)).toEqual([[first.id], null]);
  expect(await read('externalId=order/1&status=CLOSED')).toEqual([[], null]);
  expect(await read(`createdBefore=${second.createdAt}`)).toEqual([[first.id], null]);
  expect(await read(`createdAfter=${second.createdAt}&q=order`)).toEqual([
    third.createdAt > second.createdAt ? [third.id] : [],
    null,
  ]);
});

test('200 with the sessions of an end user, together with any other parameter; an unknown one has none', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}/sessions`;
  const create = async (payload: object): Promise<string> =>
    (await api.inject(ana, { method: 'POST', url, payload })).json().id;
  const first = await create({ name: 'First', externalId: 'order-1' });
  const second = await create({ name: 'Second', metadata: { plan: 'gold' } });
  const third = await create({ name: 'Third' });
  for (const id of [first, second]) await api.createParticipant(ana, id, 'customer/7');
  await api.createParticipant(ana, third, 'customer-8');
  await api.createParticipant(ana, await api.createSession(ana), 'customer/7');
  await db.closeSession(api.deps.database, first, 'user');
  const participant = `participant=${encodeURIComponent('customer/7')}`;
  const read = async (query: string) => {
    const { items, nextCursor } = (await api.inject(ana, { url: `${url}?${query}` })).json();
    return [items.map(({ id }: { id: string }) => id), nextCursor];
  };
  expect(await read(participant)).toEqual([[second, first], null]);
  expect(await read(`${participant}&order=asc&limit=1`)).toEqual([[first], first]);
  expect(await read(`${participant}&cursor=${third}`)).toEqual([[second, first], null]);
  expect(await read(`${participant}&status=CLOSED`)).toEqual([[first], null]);
  expect(await read(`${participant}&q=sec&metadata[plan]=gold`)).toEqual([[second], null]);
  expect(await read(`${participant}&externalId=order-1`)).toEqual([[first], null]);
  expect(await read('participant=customer-8&externalId=order-1')).toEqual([[], null]);
  expect(await read('participant=customer-9')).toEqual([[], null]);
});

test('400 says what a parameter needs', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const words = Array.from({ length: 11 }, (_, n) => `w${n}`).join('+');
  const key = 'k'.repeat(41);
  const unknown = 'There is no field with this name.';
  const refusals = [
    [`q=${words}`, 'query.q: at most 10 words are allowed.'],
    ['metadata[a]=1&metadata[a]=2', 'query.metadata.a: a text is needed.'],
    ['metadata=c-17', 'query.metadata: an object is needed.'],
    ['metadata[a][b]=1', `query.metadata[a][b]: ${unknown}`],
    ['metadata[]=1', `query.metadata[]: ${unknown}`],
    [`metadata[${key}]=1`, `query.metadata[${key}]: ${unknown}`],
    ['metadata[__proto__]=1', `query.metadata[__proto__]: ${unknown}`],
    ['externalId=', 'query.externalId: a text of at least 1 character is needed.'],
    ['participant=', 'query.participant: a text of at least 1 character is needed.'],
    [
      'createdAfter=yesterday',
      'query.createdAfter: an ISO 8601 time is needed, such as 2026-11-21T08:00:00.000Z.',
    ],
  ];
  for (const [query, detail] of refusals) {
    const answer = await api.inject(ana, { url: `/projects/${projectId}/sessions?${query}` });
    expect([query, answer.statusCode, answer.json().detail]).toEqual([query, 400, detail]);
  }
});

test('400 for a cursor of another project, and for unknown query parameters', async ({
  api,
  ana,
}) => {
  const [own, other] = [await api.createProject(ana), await api.createProject(ana)];
  const id = await api.createSession(ana, other);
  const refusals = [
    [`?cursor=${id}`, 'invalid_cursor'],
    ['?status=active', 'invalid_request'],
    ['?limit=0', 'invalid_request'],
    ['?limit=101', 'invalid_request'],
    ['?order=oldest', 'invalid_request'],
  ];
  for (const [query, code] of refusals) {
    const answer = await api.inject(ana, { url: `/projects/${own}/sessions${query}` });
    expect([query, answer.statusCode, answer.json().code]).toEqual([query, 400, code]);
  }
});

test('200 with the newest words of each session, cut to 200 characters, and its agents that have not stopped', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const quiet = await api.createSession(ana, projectId);
  const talk = await api.createSession(ana, projectId);
  const content = `${'👍'.repeat(199)}👩🏽‍🚀`;
  await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${talk}/messages`,
    payload: { content },
  });
  const agent = { sessionId: talk, planId: null, envTemplateId: null, config: {} };
  const id = uuidv7();
  await db.insertAgent(api.deps.database, { ...agent, id, role: 'echo-agent', createdBy: ana.id });
  const answer = await api.inject(ana, { url: `/projects/${projectId}/sessions` });
  const [first, second] = answer.json().items;
  expect(first).toMatchObject({
    id: talk,
    lastMessage: {
      role: 'user',
      kind: 'text',
      content: `${'👍'.repeat(199)}👩`,
      timestamp: first.recording.lastMessageAt,
    },
    agents: [{ id, role: 'echo-agent', status: 'Starting' }],
  });
  expect(second).toMatchObject({ id: quiet, lastMessage: null, agents: [] });
});

test('200 with five statements, however many sessions the page has', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  for (let count = 0; count < 20; count += 1) await api.createSession(ana, projectId);
  const names = await statementsOf(async () => {
    const answer = await api.inject(ana, { url: `/projects/${projectId}/sessions` });
    expect(answer.json().items).toHaveLength(20);
  });
  expect(names.toSorted()).toEqual([
    'count_missing_messages',
    'list_coverage',
    'list_last_words',
    'list_live_agents_of_sessions',
    'list_sessions',
  ]);
});

test('of many slow searches three run at once, and leave connections to other requests; outsiders get no turn', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url);
  const held = Promise.withResolvers<object[]>();
  let running = 0;
  const slowDatabase = answeredDatabase(own, (name) => {
    if (name !== 'walk_sessions') return undefined;
    running += 1;
    return held.promise;
  });
  await using api = await startTestApi(database.url, { deps: { database: slowDatabase } });
  const ana = await api.createUser();
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const search = (query: string) => api.inject(ana, { url: `${url}?${query}` });
  const queries = ['q=order', 'metadata[customer]=c-17'];
  const searches = Promise.all([...queries, ...queries, ...queries, ...queries].map(search));
  await expect.poll(() => running).toBe(3);
  expect((await api.inject(ana, { url })).statusCode).toBe(200);
  const eve = await api.createUser('eve');
  for (const path of [url, `/projects/${uuidv7()}/sessions`]) {
    const refused = await api.inject(eve, { url: `${path}?q=order` });
    expect(refused.statusCode).toBe(404);
  }
  expect(running).toBe(3);
  held.resolve([{ id: null, memberRole: 'OWNER', isCursorKnown: true }]);
  expect((await searches).map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
});

test('no statement of a search may run longer than its client waits, however late its turn comes', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url);
  const limits: number[] = [];
  const held = Promise.withResolvers<object[]>();
  let running = 0;
  const member = { memberRole: 'OWNER', isCursorKnown: true };
  const slowDatabase = answeredDatabase(own, (name, [limitMs]) => {
    if (name === 'limit_statements') limits.push(Number(limitMs));
    if (name === 'find_sessions') return Promise.resolve([{ ...member, id: null, candidates: 0 }]);
    if (name !== 'walk_sessions') return undefined;
    running += 1;
    return held.promise;
  });
  await using api = await startTestApi(database.url, { deps: { database: slowDatabase } });
  const ana = await api.createUser();
  const url = `/projects/${await api.createProject(ana)}/sessions`;
  const search = () => api.inject(ana, { url: `${url}?q=order` });
  let now = performance.now();
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const searches = Promise.all([search(), search(), search(), search()]);
  await expect.poll(() => running).toBe(3);
  // The last request is answered first, because the fourth search waits for its turn.
  expect((await api.inject(ana, { url })).statusCode).toBe(200);
  expect(limits).toEqual([1200, 1200, 1200]);
  now += 29_000;
  // The walk found nothing among as many sessions as it may read, so the index is searched.
  held.resolve([{ ...member, id: uuidv7(), isMatch: false, place: 20_000 }]);
  expect((await searches).map(({ statusCode }) => statusCode)).toEqual(Array(4).fill(200));
  expect(limits.slice(3)).toEqual(Array(5).fill(1000));
});
