import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { endUserIdOf } from '../sessions/end-user-id.ts';

test('202 with the receipt, and its address as `location`', async ({
  api,
  ana,
  projectId,
  sessionId,
}) => {
  const message = said(sessionId, 'a secret');
  await db.appendMessages(api.deps.database, [message]);
  const payload = { sessionId, messageIds: [message.id, message.id] };
  const url = `/projects/${projectId}/erasures`;
  const answer = await api.inject(ana, { method: 'POST', url, payload });
  expect(answer.statusCode).toBe(202);
  const receipt = answer.json();
  expect(answer.headers['location']).toBe(`/erasures/${receipt.id}`);
  expect(receipt).toEqual({
    id: expect.any(String),
    projectId,
    scope: { sessionId, messageIds: [message.id] },
    requestedBy: ana.id,
    requestedAt: expect.any(String),
    status: 'running',
    counts: { sessions: 0, messages: 0, searchRows: 0, deliveries: 0, agentLogs: 0 },
    digest: null,
    recorders: [],
    webhooks: [],
    erasedAt: null,
    finishedAt: null,
    backupsUntil: null,
  });
});

test.for([
  {},
  { messageIds: [uuidv7()] },
  { identity: 'user-1' },
  { sessionId: uuidv7(), userId: uuidv7() },
  { userId: uuidv7(), participantId: 'customer-7' },
  { sessionId: uuidv7(), messageIds: [] },
  { sessionId: uuidv7(), messageIds: [uuidv7()], identity: 'user-1' },
  { sessionId: uuidv7(), messageIds: Array.from({ length: 1001 }, () => uuidv7()) },
])('400 for %j, which is not one scope', async (payload, { api, ana, projectId }) => {
  const url = `/projects/${projectId}/erasures`;
  const answer = await api.inject(ana, { method: 'POST', url, payload });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
});

test('404 for a session, a message and an end user of another project', async ({
  api,
  ana,
  projectId,
  sessionId,
}) => {
  const other = await api.createSession(ana);
  const foreign = said(other, 'kept');
  await db.appendMessages(api.deps.database, [foreign]);
  await api.createParticipant(ana, other);
  const [endUser] =
    (
      await db.listEndUsers(api.deps.database, {
        projectId: (await api.inject(ana, { url: `/sessions/${other}` })).json().projectId,
        userId: ana.id,
        limit: 1,
      })
    )?.endUsers ?? [];
  for (const payload of [
    { sessionId: other },
    { sessionId: other, messageIds: [foreign.id] },
    { sessionId, messageIds: [foreign.id] },
    { sessionId: other, identity: 'user-1' },
    { userId: endUser?.id },
    { userId: ana.id },
  ]) {
    const url = `/projects/${projectId}/erasures`;
    const answer = await api.inject(ana, { method: 'POST', url, payload });
    expect([payload, answer.statusCode]).toEqual([payload, 404]);
  }
});

test('an erased end user is forgotten: tokens end, and the next token with the same id makes a new end user', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const ask = async (name: string) => {
    const participant = { id: 'customer-7', name };
    const url = `/sessions/${sessionId}/token`;
    const answer = await api.inject(ana, { method: 'POST', url, payload: { participant } });
    return answer.json().accessToken;
  };
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `/sessions/${sessionId}/messages`;
    return (await api.app.inject({ url, headers })).statusCode;
  };
  const listed = async () =>
    (await api.inject(ana, { url: `/projects/${projectId}/end-users` })).json().items;
  const token = await ask('Ada Lovelace');
  const identity = `user-${endUserIdOf(projectId, 'customer-7')}`;
  await db.appendMessages(api.deps.database, [said(sessionId, 'my address', `${identity}-1`)]);
  expect(await read(token)).toBe(200);
  const [before] = await listed();
  const receipt = await erase(api, ana, projectId, { participantId: 'customer-7' });
  expect(receipt.scope).toEqual({ userId: before.id });
  await expect.poll(() => read(token)).toBe(401);
  expect(await listed()).toEqual([]);
  const inRoom = [{ sessionId, userId: before.id }];
  expect(await db.listBarredMembers(own, inRoom)).toMatchObject(inRoom);
  await finishErasures(api, own);
  const text = JSON.stringify(
    await own.sql`
    select to_jsonb(m) as row from messages m union all select to_jsonb(u) from users u
    union all select to_jsonb(e) from audit_events e union all select to_jsonb(s) from session_end_users s`,
  );
  for (const word of ['customer-7', 'Lovelace', 'my address', identity]) {
    expect([word, text.includes(word)]).toEqual([word, false]);
  }
  const next = await ask('Bea');
  expect([await read(token), await read(next)]).toEqual([401, 200]);
  expect(await db.listBarredMembers(own, inRoom)).toEqual([]);
  const [after] = await listed();
  expect(after).toMatchObject({ name: 'Bea', externalId: 'customer-7' });
  expect(Date.parse(after.createdAt)).toBeGreaterThanOrEqual(Date.parse(before.createdAt));
});

test('429 for more than 60 requests a minute of one user', async ({ api, ana, projectId }) => {
  const url = `/projects/${projectId}/erasures`;
  const statusOf = async () =>
    (await api.inject(ana, { method: 'POST', url, payload: {} })).statusCode;
  for (let count = 0; count < 60; count += 1) expect(await statusOf()).toBe(400);
  expect(await statusOf()).toBe(429);
});
