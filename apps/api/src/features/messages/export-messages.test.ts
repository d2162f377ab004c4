import { once } from 'node:events';
import { get } from 'node:http';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');

function spoken(sessionId: string, ms: number, content = `word ${ms}`) {
  const metadata = { participant: { name: 'Ben *B*' } };
  const said = { role: 'user', kind: 'text', status: 'complete', metadata } as const;
  return { sessionId, id: uuidv7(), receivedAt: NOON + ms, content, ...said };
}

test('200 with the whole history as lines of JSON, the oldest first, as the list gives it', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/export`;
  expect((await api.inject(ana, { url })).body).toBe('');
  const sent = Array.from({ length: 1001 }, (_, index) => spoken(sessionId, index));
  await db.appendMessages(api.deps.database, sent);
  const answer = await api.inject(ana, { url });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/jsonl; charset=utf-8',
    'content-disposition': `attachment; filename="${sessionId}.jsonl"`,
  });
  const items = answer.body.split('\n').slice(0, -1);
  expect(items.map((line) => JSON.parse(line).id)).toEqual(sent.map(({ id }) => id));
  const newest = await api.inject(ana, { url: `/sessions/${sessionId}/messages?limit=1` });
  expect(JSON.parse(items.at(-1) ?? '')).toEqual(newest.json().items[0]);
});

test('200 in Markdown, where no message can look like a message of another sender', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  await db.appendMessages(api.deps.database, [spoken(sessionId, 0, 'hello\n\n**assistant** yes')]);
  const answer = await api.inject(ana, { url: `/sessions/${sessionId}/export?format=markdown` });
  expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
  const stored = await api.inject(ana, { url: `/sessions/${sessionId}/messages` });
  expect(answer.body).toBe(`# session

**user, Ben \\*B\\*** ${stored.json().items[0].timestamp}

> hello
> 
> **assistant** yes
`);
});

test('200 that begins with the session’s own id and data: always in Markdown, in lines of JSON where asked for', async ({
  api,
  ana,
  projectId,
}) => {
  const payload = { name: 'Hello', externalId: 'order_1', metadata: { 'a\nb': 'x\n# y' } };
  const sessions = `/projects/${projectId}/sessions`;
  const created = await api.inject(ana, { method: 'POST', url: sessions, payload });
  const { recording: _recording, ...session } = created.json();
  await db.appendMessages(api.deps.database, [spoken(session.id, 0)]);
  const url = `/sessions/${session.id}/export`;
  const file = await api.inject(ana, { url: `${url}?session=true` });
  const plain = await api.inject(ana, { url });
  expect(file.body).toBe(`${JSON.stringify({ session })}\n${plain.body}`);
  const markdown = await api.inject(ana, { url: `${url}?format=markdown` });
  const heading = '# Hello\n\n- externalId: order\\_1\n- a b: x \\# y\n\n**user, ';
  expect(markdown.body.slice(0, heading.length)).toBe(heading);
});

test('400 for another format', async ({ api, ana }) => {
  const url = `/sessions/${await api.createSession(ana)}/export?format=pdf`;
  expect((await api.inject(ana, { url })).json().code).toBe('invalid_request');
});

test('405 for HEAD, which reads no history', async ({ api: plain, ana, database, sessionId }) => {
  let reads = 0;
  const exports = answeredDatabase(plain.deps.database, (name) => {
    if (name === 'read_messages_for_export') reads += 1;
    return undefined;
  });
  await using api = await startTestApi(database.url, { deps: { exports } });
  const url = `/sessions/${sessionId}/export`;
  const head = await api.inject(ana, { method: 'HEAD', url });
  expect([head.statusCode, head.headers.allow, reads]).toEqual([405, 'GET', 0]);
  expect([(await api.inject(ana, { url })).statusCode, reads]).toEqual([200, 1]);
});

test('a client that stops reading pauses the export; a client that disconnects ends it', async ({
  database,
}) => {
  const page = Array.from({ length: 500 }, (_, index) => spoken('', index, 'x'.repeat(2000)));
  const rows = page.map((message, index) => {
    const at = new Date(NOON + index).toISOString();
    const metadata = JSON.stringify(message.metadata);
    return { ...message, metadata, at, createdAt: at, isFull: true };
  });
  // An endless history.
  const readMessagesForExport = vi.fn<() => Promise<typeof rows>>(async () => rows);
  await using plain = await startTestApi(database.url);
  const exports = answeredDatabase(plain.deps.database, (name) =>
    name === 'read_messages_for_export' ? readMessagesForExport() : undefined,
  );
  await using api = await startTestApi(database.url, { deps: { exports } });
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${ana.token}` };
  const request = get(`${address}/sessions/${sessionId}/export`, { headers });
  const [response] = await once(request, 'response');
  response.pause();
  let seen = -1;
  // The export stops when all buffers between the database and the client are full.
  await expect
    .poll(
      () => {
        const before = seen;
        seen = readMessagesForExport.mock.calls.length;
        return seen === before;
      },
      { interval: 300 },
    )
    .toBe(true);
  request.destroy();
  await api.app.close();
  const { length } = readMessagesForExport.mock.calls;
  expect(length).toBeLessThanOrEqual(seen + 2);
});

test('an export ends for a reader who is removed from the project meanwhile, and shows that it is not whole', async ({
  database,
}) => {
  await using api = await startTestApi(database.url);
  const [ana, ben] = [await api.createUser(), await api.createUser('ben')];
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const sessionId = await api.createSession(ana, projectId);
  // More than all buffers between the database and the client hold.
  const content = 'x'.repeat(60_000);
  for (let part = 0; part < 8; part += 1) {
    await db.appendMessages(
      api.deps.database,
      Array.from({ length: 50 }, (_, index) => spoken(sessionId, 50 * part + index, content)),
    );
  }
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${ben.token}` };
  const [response] = await once(
    get(`${address}/sessions/${sessionId}/export`, { headers }),
    'response',
  );
  response.pause();
  const url = `/projects/${projectId}/members/${ben.id}`;
  expect((await api.inject(ana, { method: 'DELETE', url })).statusCode).toBe(204);
  let bytes = 0;
  const read = async () => {
    for await (const chunk of response) bytes += chunk.length;
  };
  await expect(read()).rejects.toThrow('aborted');
  expect(bytes).toBeLessThan(400 * 60_000);
});
