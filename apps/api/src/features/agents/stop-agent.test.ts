import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the agent that has to stop, the same for each repetition; a stopped agent does not change', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, await api.createSession(ana));
  const first = await stop(api, ana, id);
  expect([first.statusCode, first.json()]).toMatchObject([
    200,
    { id, status: 'Starting', reason: 'requested' },
  ]);
  const again = await stop(api, ana, id);
  expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
  expect(await db.listLiveAgents(api.deps.database)).toMatchObject([{ id, desired: 'stopped' }]);

  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await db.updateAgentState(api.deps.database, id, end);
  const late = await stop(api, ana, id);
  expect([late.statusCode, late.json()]).toMatchObject([
    200,
    { status: 'Stopped', reason: 'requested', exitCode: 0 },
  ]);
});

test('403 for a MEMBER who did not start the agent; 200 for the MEMBER who did, an ADMIN and the OWNER', async ({
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
  const outcome = async (starter: TestUser, stopper: TestUser) => {
    const id = await insertAgent(api, starter, await api.createSession(ana, projectId));
    return (await stop(api, stopper, id)).statusCode;
  };
  expect([await outcome(ana, ben), await outcome(ben, ben)]).toEqual([403, 200]);
  expect([await outcome(ben, cleo), await outcome(ben, ana)]).toEqual([200, 200]);
});

async function insertAgent(api: TestApi, user: TestUser, sessionId: string): Promise<string> {
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: user.id };
  await db.insertAgent(api.deps.database, {
    ...agent,
    planId: null,
    envTemplateId: null,
    config: {},
  });
  return agent.id;
}

async function stop(api: TestApi, user: TestUser, id: string) {
  return await api.inject(user, { method: 'DELETE', url: `/agents/${id}` });
}
