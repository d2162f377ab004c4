import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agents.ts';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareAgentQueries } from './agents.ts';
import { prepareStoppedAgentQueries } from './stopped-agents.ts';

async function stop(project: TestProject, id: string): Promise<void> {
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await prepareAgentQueries(project).updateAgentState(id, { status: 'Stopped', ...end });
}

async function secondsLeft({ sql }: TestProject, id: string): Promise<number | null | undefined> {
  const [row] = await sql<{ seconds: number | null }[]>`
    select extract(epoch from barred_until - now())::float8 as seconds from agents where id = ${id}`;
  return row?.seconds;
}

test('an agent is barred from its ACTIVE session once it is Stopped, for longer than its token lasts', async ({
  project,
}) => {
  const stopped = prepareStoppedAgentQueries(project);
  const [sessionId, closedId] = [await project.newSession(), await project.newSession()];
  const id = await insertAgent(project, { sessionId });
  await insertAgent(project, { sessionId, role: 'light-agent' });
  const elsewhere = await insertAgent(project, { sessionId: closedId });
  expect(await stopped.listBarredAgents(10)).toEqual([]);
  for (const one of [id, elsewhere]) await stop(project, one);
  await project.sessions.closeSession(closedId, 'user');
  expect(await stopped.listBarredAgents(10)).toEqual([{ id, sessionId, role: 'echo-agent' }]);
  expect(await secondsLeft(project, id)).toBeGreaterThan(660);
});

test('a bar is extended by each sighting and ends by itself; the end of an agent never shortens it', async ({
  project,
}) => {
  const stopped = prepareStoppedAgentQueries(project);
  const [id, old] = [await insertAgent(project), await insertAgent(project)];
  // As the migration sets it for agents whose tokens last for a day.
  await project.sql`update agents set barred_until = now() + interval '25 hours' where id = ${old}`;
  for (const one of [id, old]) await stop(project, one);
  expect(await secondsLeft(project, old)).toBeGreaterThan(86_400);
  await project.sql`update agents set barred_until = now() + interval '1 min' where id = ${id}`;
  await stopped.forgetBarredAgents();
  await stopped.extendAgentBar(id);
  expect(await secondsLeft(project, id)).toBeGreaterThan(660);
  // The clock of a virtual machine may step back.
  await project.sql`update agents set barred_until = now() - interval '1 s' where id = ${id}`;
  await stopped.forgetBarredAgents();
  expect([await secondsLeft(project, id), await secondsLeft(project, old)]).toEqual([
    null,
    expect.any(Number),
  ]);
});

test('barred agents are listed page by page, each once', async ({ project }) => {
  const stopped = prepareStoppedAgentQueries(project);
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await insertAgent(project));
  for (const id of ids) await stop(project, id);
  const first = await stopped.listBarredAgents(3);
  const rest = await stopped.listBarredAgents(3, first.at(-1));
  expect([first.length, rest.length]).toEqual([3, 2]);
  expect([...first, ...rest].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(await stopped.listBarredAgents(3, rest.at(-1))).toEqual([]);
});
