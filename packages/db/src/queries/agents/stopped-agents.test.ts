import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { closeSession } from '../sessions/session-end.ts';
import { updateAgentState } from './agent-changes.ts';
import {
  extendAgentBar,
  forgetBarredAgents,
  hasBarredAgents,
  listBarredAgents,
  listRoomsOfBarredAgents,
} from './stopped-agents.ts';

async function stop(project: TestProject, id: string): Promise<void> {
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await updateAgentState(project, id, { status: 'Stopped', ...end });
}

async function secondsLeft({ sql }: TestProject, id: string): Promise<number | null | undefined> {
  const [row] = await sql<{ seconds: number | null }[]>`
    select extract(epoch from barred_until - now())::float8 as seconds from agents where id = ${id}`;
  return row?.seconds;
}

test('an agent is barred from its ACTIVE session once it is Stopped, for longer than its token lasts', async ({
  project,
}) => {
  const [sessionId, closedId] = [await project.newSession(), await project.newSession()];
  const id = await addAgent(project, { sessionId });
  await addAgent(project, { sessionId, role: 'light-agent' });
  const elsewhere = await addAgent(project, { sessionId: closedId });
  const open = [sessionId, closedId];
  expect(await hasBarredAgents(project)).toBe(false);
  expect(await listRoomsOfBarredAgents(project, open)).toEqual([]);
  for (const one of [id, elsewhere]) await stop(project, one);
  await closeSession(project, closedId, 'user');
  expect(await hasBarredAgents(project)).toBe(true);
  expect(await listRoomsOfBarredAgents(project, open)).toEqual([sessionId]);
  expect(await listBarredAgents(project, open)).toEqual([{ id, sessionId, role: 'echo-agent' }]);
  expect(await secondsLeft(project, id)).toBeGreaterThan(660);
});

test('a bar is extended by each sighting and ends by itself; the end of an agent never shortens it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [id, old] = [await addAgent(project, { sessionId }), await addAgent(project)];
  // As the migration sets it for agents whose tokens last for a day.
  await project.sql`update agents set barred_until = now() + interval '25 hours' where id = ${old}`;
  for (const one of [id, old]) await stop(project, one);
  expect(await secondsLeft(project, old)).toBeGreaterThan(86_400);
  await project.sql`update agents set barred_until = now() + interval '1 min' where id = ${id}`;
  await forgetBarredAgents(project, []);
  await extendAgentBar(project, id);
  expect(await secondsLeft(project, id)).toBeGreaterThan(660);
  // The clock of a virtual machine may step back.
  await project.sql`update agents set barred_until = now() - interval '1 s' where id = ${id}`;
  await forgetBarredAgents(project, [sessionId]);
  expect(await secondsLeft(project, id)).toBeLessThan(0);
  await forgetBarredAgents(project, []);
  expect([await secondsLeft(project, id), await secondsLeft(project, old)]).toEqual([
    null,
    expect.any(Number),
  ]);
});

test('a room with several barred agents is listed once, and only the agents of the rooms that are asked for', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const ids = [
    await addAgent(project, { sessionId }),
    await addAgent(project, { sessionId, role: 'light-agent' }),
  ];
  for (const id of [...ids, await addAgent(project)]) await stop(project, id);
  expect(await listRoomsOfBarredAgents(project, [sessionId])).toEqual([sessionId]);
  const barred = await listBarredAgents(project, [sessionId]);
  expect(barred.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(await listBarredAgents(project, [])).toEqual([]);
});
