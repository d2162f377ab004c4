import { expect, test } from 'vitest';
import { START, spoken, startTestHistory, type TestHistory } from '../../../testing/history.ts';

test('an end user whose history begins with their first token reads nothing older, however it is asked for', async () => {
  await using history = await startTestHistory();
  const { sessionId, letIn, append } = await talk(history);
  const [older, slow] = [spoken(sessionId), spoken(sessionId, { status: 'pending' })];
  await append([older, slow]);
  const { read, ids } = await letIn('since_join');
  const [first, second] = [spoken(sessionId), spoken(sessionId, { kind: 'text' })];
  await append([first, second]);
  // A message that began before they came is not part of their history, even if it ends afterwards.
  await append([{ ...slow, status: 'complete', content: 'hello all' }]);
  for (const path of ['messages?limit=2', 'messages?limit=1', 'messages?role=assistant&limit=1']) {
    expect([path, await ids(path)]).toEqual([path, [second.id, first.id]]);
    expect(await ids(`${path}&order=asc`)).toEqual([first.id, second.id]);
  }
  for (const since of [START, new Date(Date.now() - 3_600_000).toISOString()]) {
    const latest = await read(`messages/latest?since=${since}`);
    expect(latest.json()).toMatchObject({ items: [{ id: first.id }, { id: second.id }] });
    expect(latest.json().hasMore).toBe(false);
  }
  for (const order of ['asc', 'desc']) {
    for (const filter of ['', '&kind=transcript']) {
      const behind = await read(`messages?order=${order}&cursor=${older.id}${filter}`);
      expect([behind.statusCode, behind.json().code]).toEqual([400, 'invalid_cursor']);
      const known = await read(`messages?order=${order}&cursor=${first.id}${filter}`);
      expect(known.statusCode).toBe(200);
    }
  }
  expect((await read('state')).statusCode).toBe(404);
});

test('a later token of the end user begins where the first one did, and one for all messages reads all', async () => {
  await using history = await startTestHistory();
  const { sessionId, letIn, append } = await talk(history);
  const say = async () => {
    const message = spoken(sessionId);
    await append([message]);
    return message.id;
  };
  const older = await say();
  const first = await letIn('all');
  const newer = await say();
  const second = await letIn('since_join');
  const newest = await say();
  expect(await first.ids('messages')).toEqual([newest, newer, older]);
  expect(await second.ids('messages')).toEqual([newest, newer]);
  expect(await (await letIn('since_join', 'another')).ids('messages')).toEqual([]);
  expect((await first.read('state')).statusCode).toBe(200);
  // A process of the former release would show everything, but does not accept the audience.
  expect([first.audience, second.audience]).toEqual([
    'session-service-participant',
    'session-service-late-participant',
  ]);
});

test('a reader who waits gets what comes, and not the end of what began before they came', async () => {
  await using history = await startTestHistory();
  const { sessionId, letIn, append } = await talk(history);
  const slow = spoken(sessionId, { status: 'pending' });
  await append([slow]);
  const [late, whole] = [await letIn('since_join'), await letIn('all', 'another')];
  const wait = (reader: typeof late, since: string) =>
    reader.read(`messages/latest?since=${since}&wait=25`);
  const { nextSince } = (await whole.read(`messages/latest?since=${START}`)).json();
  const [forLate, forWhole] = [wait(late, nextSince), wait(whole, nextSince)];
  await append([{ ...slow, status: 'complete', content: 'hello all' }]);
  expect((await forWhole).json().items).toMatchObject([{ id: slow.id }]);
  const { nextSince: empty, items } = (await late.read(`messages/latest?since=${START}`)).json();
  expect(items).toEqual([]);
  const said = spoken(sessionId);
  await append([said]);
  expect((await wait(late, empty)).json().items).toMatchObject([{ id: said.id }]);
  expect((await forLate).json().items).toMatchObject([{ id: said.id }]);
});

test('400 for `history` without an end user', async () => {
  await using history = await startTestHistory();
  const { api, ana } = history;
  const url = `/sessions/${await api.createSession(ana)}/token`;
  const answer = await api.inject(ana, { method: 'POST', url, payload: { history: 'all' } });
  expect(answer.json().detail).toBe('The field history is refused: it needs `participant`.');
});

async function talk({ api, ana, append }: TestHistory) {
  const sessionId = await api.createSession(ana);
  const letIn = async (scope: 'all' | 'since_join', id = 'customer-7') => {
    const url = `/sessions/${sessionId}/token`;
    const payload = { participant: { id, name: 'Ada' }, history: scope };
    const issued = (await api.inject(ana, { method: 'POST', url, payload })).json();
    const ada = { ...ana, token: issued.accessToken };
    const read = async (path: string) =>
      await api.inject(ada, { url: `/sessions/${sessionId}/${path}` });
    /** Reads a list to its end. */
    const ids = async (path: string) => {
      const found: string[] = [];
      for (let next = path; ; ) {
        const { items, nextCursor } = (await read(next)).json();
        found.push(...items.map((item: { id: string }) => item.id));
        if (nextCursor === null) return found;
        next = `${path}&cursor=${nextCursor}`;
      }
    };
    const audience = api.app.jwt.decode<{ aud: string }>(issued.accessToken)?.aud;
    return { read, ids, audience };
  };
  return { sessionId, letIn, append };
}
