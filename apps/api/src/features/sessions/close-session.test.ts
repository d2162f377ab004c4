import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the session CLOSED, the same for every repetition, and its agents are asked to stop', async ({
  api,
  ana,
}) => {
  const id = await api.createSession(ana);
  const agent = { id: uuidv7(), sessionId: id, role: 'echo-agent', createdBy: ana.id };
  await db.insertAgent(api.deps.database, {
    ...agent,
    planId: null,
    envTemplateId: null,
    config: {},
  });
  const close = { method: 'POST', url: `/sessions/${id}/close` } as const;
  const first = await api.inject(ana, close);
  expect([first.statusCode, first.json()]).toMatchObject([
    200,
    { id, status: 'CLOSED', closeReason: 'user', recording: { status: 'ended' } },
  ]);
  expect(first.json().closedAt).toBe(first.json().updatedAt);
  const again = await api.inject(ana, { ...close, payload: {} });
  expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
  expect(await db.listLiveAgents(api.deps.database)).toMatchObject([
    { id: agent.id, desired: 'stopped', reason: 'session_closed', sessionStatus: 'CLOSED' },
  ]);
});

test('403 for a MEMBER who did not create the session; 200 for its creator, an ADMIN and an OWNER', async ({
  api,
}) => {
  const [ana, ben, cleo] = [
    await api.createUser(),
    await api.createUser('ben'),
    await api.createUser('cleo'),
  ];
  const projectId = await api.createProject(ana, [
    [ben, 'MEMBER'],
    [cleo, 'ADMIN'],
  ]);
  const close = async (maker: TestUser, closer: TestUser) => {
    const url = `/sessions/${await api.createSession(maker, projectId)}/close`;
    return (await api.inject(closer, { method: 'POST', url })).statusCode;
  };
  expect([await close(ana, ben), await close(ben, ben)]).toEqual([403, 200]);
  expect([await close(ben, cleo), await close(ben, ana)]).toEqual([200, 200]);
});

test('400 for a body with a field', async ({ api, ana }) => {
  const url = `/sessions/${await api.createSession(ana)}/close`;
  const answer = await api.inject(ana, { method: 'POST', url, payload: { reason: 'idle' } });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
});
