import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import * as db from '@session/db';
import { expect, onTestFinished, vi } from 'vitest';
import { insertAgent } from '../../../testing/agent-log.ts';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { opened } from '../../../testing/message-streams.ts';

const SINCE = '2026-01-01T00:00:00Z';

async function read(response: IncomingMessage): Promise<void> {
  for await (const _ of response);
}

/** A page of an endless history. */
const PAGE = Array.from({ length: 500 }, (_, index) => ({
  id: `message ${index}`,
  role: 'user',
  status: 'complete',
  content: 'x'.repeat(2000),
  metadata: '{}',
  at: new Date(Date.UTC(2026, 10, 21) + index).toISOString(),
  createdAt: '2026-11-21T08:00:00.000Z',
  isFull: true,
}));

test('a long poll, a follower of a log and an export end with their token on another API; those of other tokens go on', async ({
  api,
  database,
}) => {
  const exports = answeredDatabase(api.deps.database, (name) =>
    name === 'read_messages_for_export' ? Promise.resolve(PAGE) : undefined,
  );
  await using other = await startTestApi(database.url, { deps: { exports } });
  const address = await other.app.listen({ port: 0, host: '127.0.0.1' });
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const next = { ...ana, token: api.app.jwt.sign({ sub: ana.id, v: 1 }) };
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await api.createSession(ana, projectId);
  const agentId = await insertAgent(api, ana, 3);
  const leaving = new AbortController();
  const { signal } = leaving;
  const ask = (path: string, { token }: TestUser, accept = '*/*') =>
    get(`${address}${path}`, { headers: { authorization: `Bearer ${token}`, accept }, signal });
  const answered = async (...request: Parameters<typeof ask>) => {
    const [response]: IncomingMessage[] = await once(ask(...request), 'response');
    if (!response) throw new Error('there is a response');
    expect(response.statusCode).toBe(200);
    return response;
  };
  const poll = (user: TestUser) => {
    const request = ask(`/sessions/${sessionId}/messages/latest?wait=25&since=${SINCE}`, user);
    const outcome = once(request, 'response').then(
      () => 'answered',
      () => 'cut',
    );
    return { request, outcome };
  };
  const logs = `/agents/${agentId}/logs`;
  const [ended, ofBen, ofNext] = [poll(ana), poll(ben), poll(next)];
  const follower = await answered(logs, ana, 'text/event-stream');
  const followerOfNext = await answered(logs, next, 'text/event-stream');
  const exported = await answered(`/sessions/${sessionId}/export`, ana);
  const waiting = async () => {
    const page = await other.deps.metrics.registry.metrics();
    return /^session_waiting_readers (\d+)/m.exec(page)?.[1];
  };
  await expect.poll(waiting).toBe('3');

  await db.endTokens(api.deps.database, ana.id);
  expect(await ended.outcome).toBe('cut');
  await expect(read(follower)).rejects.toThrow('aborted');
  await expect(read(exported)).rejects.toThrow('aborted');
  await expect.poll(waiting).toBe('2');
  expect([ofBen.request.destroyed, ofNext.request.destroyed]).toEqual([false, false]);
  expect(followerOfNext.destroyed).toBe(false);
  leaving.abort();
  await Promise.all([ofBen.outcome, ofNext.outcome]);
});

test('with a deleted key end its long polls, and those of the participants whom it let in', async ({
  api,
  ana,
}) => {
  await using other = await startTestApi(api.deps.config.databaseUrl);
  const address = await other.app.listen({ port: 0, host: '127.0.0.1' });
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const sessionId = await api.createSession(ana, projectId);
  const callers = [key, await api.createParticipant(key, sessionId)];
  const url = `${address}/sessions/${sessionId}/messages/latest?wait=25&since=${SINCE}`;
  const polls = callers.map(async ({ token }) => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  });
  const ends = Promise.allSettled(polls);
  const waiting = async () => {
    const page = await other.deps.metrics.registry.metrics();
    return /^session_waiting_readers (\d+)/m.exec(page)?.[1];
  };
  await expect.poll(waiting).toBe('2');
  await api.inject(ana, { method: 'DELETE', url: `/api-keys/${key.id}` });
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a stream that cannot say that its token has ended is cut after a second', async ({
  api,
  ana,
}) => {
  await using other = await startTestApi(api.deps.config.databaseUrl);
  // As if its reader took nothing.
  other.app.addHook('onRequest', async (_, { raw }) => {
    raw.end = () => raw;
  });
  const address = await other.app.listen({ port: 0, host: '127.0.0.1' });
  const { events } = await opened(address, ana, await api.createSession(ana));
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await db.endTokens(api.deps.database, ana.id);
  expect((await events.next()).value?.data).toEqual({ reason: 'token_ended' });
  const rest = events.next();
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  await expect(rest).rejects.toThrow('aborted');
});

test('the routes whose requests take longer than a second are marked, so that they end with their token', ({
  api,
}) => {
  const marked = api.routes.filter(({ config, method }) => config?.long && method === 'GET');
  expect(marked.map(({ url }) => url)).toEqual([
    '/sessions/:sessionId/messages/latest',
    '/sessions/:sessionId/messages/stream',
    '/sessions/:sessionId/export',
    '/agents/:agentId/logs',
  ]);
});
