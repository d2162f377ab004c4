import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

const post = (sessionId: string, payload: object) =>
  ({ method: 'POST', url: `/sessions/${sessionId}/messages`, payload }) as const;

test('409 session_closed, and nothing stored', async ({ api, ana }) => {
  const sessionId = await api.createSession(ana);
  await db.closeSession(api.deps.database, sessionId, 'user');
  const refused = await api.inject(ana, post(sessionId, { content: 'hello' }));
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'session_closed']);
  const history = await api.inject(ana, { url: `/sessions/${sessionId}/messages` });
  expect(history.json().items).toEqual([]);
});

test('201 for the repeat of a message that was stored before its session was closed; 409 session_closed for another content', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const id = uuidv7();
  const first = await api.inject(ana, post(sessionId, { content: 'hello', id }));
  expect(first.json().code).toBe('media_unavailable');
  await db.closeSession(api.deps.database, sessionId, 'user');
  const again = await api.inject(ana, post(sessionId, { content: 'hello', id }));
  const history = await api.inject(ana, { url: `/sessions/${sessionId}/messages` });
  const { deliveredTo, ...stored } = again.json();
  expect([again.statusCode, deliveredTo, history.json().items]).toEqual([201, null, [stored]]);
  const refused = await api.inject(ana, post(sessionId, { content: 'goodbye', id }));
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'session_closed']);
});
