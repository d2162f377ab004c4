import { createTestDatabase, testMedia } from '@session/testing';
import { startReceiver, tracesTo } from '@session/traces/testing';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { keepLog, readTables } from '../testing/secrets.ts';

/** Returns the parts of a key or a token by which it can be recognised. */
function secretsOf(text: string): string[] {
  return text.startsWith('ck_') ? [text.slice(20)] : text.split('.').slice(1);
}

test('a key, the token of an end user and a link are in no log, row, trace, metric or answer but the one that shows them', async () => {
  await using database = await createTestDatabase();
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  const { logStream, read } = keepLog();
  const secrets: string[] = [];
  const answers: string[] = [];
  let metrics = '';
  {
    await using api = await startTestApi(database.url, {
      logStream,
      media: testMedia(),
      deps: { traces },
    });
    const ana = await api.createUser();
    const projectId = await api.createProject(ana);
    const ask = async (token: string, request: InjectOptions) =>
      await api.inject({ ...ana, token }, request);
    const post = async (token: string, url: string, payload: object = {}) =>
      (await ask(token, { method: 'POST', url, payload })).json();

    const keys = `/projects/${projectId}/api-keys`;
    const { id, secret: first } = await post(ana.token, keys, { name: 'A', role: 'ADMIN' });
    const { secret: key } = await post(ana.token, `/api-keys/${id}/rotate`);
    const invitation = { email: 'ben@example.org' };
    const { link } = await post(ana.token, `/projects/${projectId}/invitations`, invitation);
    const session = await post(key, `/projects/${projectId}/sessions`, {
      name: 'Hello',
      externalId: 'order-1',
      token: { participant: { id: 'customer-7', name: 'Ada' } },
    });
    const { accessToken, participantToken } = session.token;
    const shown = [first, key, accessToken, participantToken, link.split('#')[1] ?? ''];
    secrets.push(...shown.flatMap(secretsOf).filter((part) => part.length > 20));
    expect(secrets.length).toBeGreaterThan(5);

    for (const token of [ana.token, first, key, accessToken, `${key}x`, `${accessToken}x`]) {
      for (const url of [
        '/auth/me',
        '/projects',
        keys,
        `/projects/${projectId}`,
        `/projects/${projectId}/audit`,
        `/projects/${projectId}/end-users`,
        `/projects/${projectId}/invitations`,
        `/projects/${projectId}/sessions`,
        `/sessions/${session.id}`,
        `/sessions/${session.id}/messages`,
        `/sessions/${session.id}/export`,
        `/sessions/${session.id}/messages?cursor=${token}`,
        '/monitoring/stats',
      ]) {
        answers.push((await ask(token, { url })).body);
      }
      const url = `/sessions/${session.id}/messages`;
      const headers = { 'idempotency-key': 'once' };
      for (const payload of [{ content: 'hello' }, { content: 7, id: token }, { id: [token] }]) {
        answers.push((await ask(token, { method: 'POST', url, payload, headers })).body);
      }
    }
    metrics = await api.deps.metrics.registry.metrics();
    await api.app.close();
    await traces.flush();
  }
  const places = {
    log: await read(),
    rows: await readTables(database.url),
    traces: receiver.bodies.join('\n'),
    metrics,
    answers: answers.join('\n'),
  };
  expect(places.log.length).toBeGreaterThan(10_000);
  expect(places.traces).toContain('/projects/:projectId/audit');
  expect(places.rows).toContain('order-1');
  const found = Object.entries(places).flatMap(([name, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => [name, secret.slice(0, 8)]),
  );
  expect(found).toEqual([]);
});
