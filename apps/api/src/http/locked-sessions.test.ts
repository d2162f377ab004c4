import { holdLocks } from '@session/testing';
import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { apiTest as test } from '../../testing/api-test.ts';
import { codesOf, expectWell, startLimitedApi } from '../../testing/limited-api.ts';

const bodies = {
  'POST /sessions/:id/messages': { content: 'a' },
  'POST /sessions/:id/import': {
    messages: [{ id: 'a', role: 'user', content: 'a', timestamp: '2026-01-01T00:00:00Z' }],
  },
  'POST /sessions/:id/agents': { role: 'echo-agent' },
  'PATCH /sessions/:id': { name: 'a' },
  'POST /sessions/:id/close': {},
  'DELETE /sessions/:id': undefined,
};
type Route = keyof typeof bodies;
const ROUTES: readonly Route[] = [
  'POST /sessions/:id/messages',
  'POST /sessions/:id/import',
  'POST /sessions/:id/agents',
  'PATCH /sessions/:id',
  'POST /sessions/:id/close',
  'DELETE /sessions/:id',
];

test.for(ROUTES)(
  '503 for each %s that waits for the session, and 200 from other routes, because they leave connections free',
  async (route, { database, ana, sessionId }) => {
    await using api = await startLimitedApi(database.url);
    await using _ = await lockSessions(database.url);
    // Several rounds, because some requests end before they have a connection.
    for (let round = 0; round < 3; round += 1) {
      const requests = Array.from({ length: 12 }, () => requestTo(route, sessionId));
      expect(await codesOf(api, ana, requests)).toEqual(['unavailable']);
    }
    await expectWell(api, ana);
  },
);

test('200 from other routes while texts, changes and agent starts wait for 12 sessions', async ({
  database,
  api,
  ana,
  projectId,
}) => {
  const sessionIds: string[] = [];
  for (let made = 0; made < 12; made += 1) {
    sessionIds.push(await api.createSession(ana, projectId));
  }
  await using other = await startLimitedApi(database.url);
  await using _ = await lockSessions(database.url);
  for (const route of ROUTES.slice(0, 4)) {
    const requests = sessionIds.map((sessionId) => requestTo(route, sessionId));
    expect(await codesOf(other, ana, requests)).toEqual(['unavailable']);
  }
  await expectWell(other, ana);
});

async function lockSessions(url: string): Promise<AsyncDisposable> {
  return await holdLocks(
    url,
    async (sql) =>
      await sql`select from session_heads head join sessions session on session.id = head.session_id
      for no key update`,
  );
}

function requestTo(route: Route, sessionId: string): InjectOptions {
  const [method = '', pattern = ''] = route.split(' ');
  const payload = bodies[route];
  const url = pattern.replace(':id', sessionId);
  return Object.assign({ url }, payload && { payload }, { method });
}
