import { beforeAll, expect, test } from 'vitest';
import { insertAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { ageHeartbeat, claimSlot, startRecorder } from '../../../testing/recorders.ts';
import { inTransaction } from '../../transaction.ts';
import { prepareAgentQueries } from '../agents/agents.ts';
import { STOP_AGENTS_OF_SESSIONS } from './session-end.ts';
import { prepareSessionQueries } from './sessions.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

test('the agents of the sessions are asked to stop, once, and the reconciler is notified of each', async () => {
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const ids = [
    await insertAgent(project, { sessionId }),
    await insertAgent(project, { sessionId, role: 'light-agent' }),
  ];
  const untouched = await insertAgent(project, { sessionId: other });
  await using notifications = await openNotifications(project.url);
  await STOP_AGENTS_OF_SESSIONS.run(project.sql, [sessionId]);
  expect((await notifications.take()).toSorted()).toEqual(
    ids.map((id) => `agent_changed ${id}`).toSorted(),
  );
  await STOP_AGENTS_OF_SESSIONS.run(project.sql, [sessionId]);
  expect(await notifications.take()).toEqual([]);
  const agents = prepareAgentQueries(project);
  for (const id of ids) {
    expect(await agents.findAgent({ id, userId: project.userId })).toMatchObject({
      desired: 'stopped',
      reason: 'session_closed',
      status: 'Starting',
    });
  }
  expect(await agents.findAgent({ id: untouched, userId: project.userId })).toMatchObject({
    desired: 'running',
    reason: null,
  });
});

test('an agent that was asked before, or has stopped, keeps its reason', async () => {
  const agents = prepareAgentQueries(project);
  const sessionId = await project.newSession();
  const [asked, stopped] = [
    await insertAgent(project, { sessionId }),
    await insertAgent(project, { sessionId, role: 'light-agent' }),
  ];
  await agents.requestAgentStop(asked, 'requested');
  const end = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 } as const;
  await agents.updateAgentState(stopped, end);
  await STOP_AGENTS_OF_SESSIONS.run(project.sql, [sessionId]);
  const reasons = await project.sql`
    select id, reason from agents where session_id = ${sessionId} order by id`;
  expect(reasons).toEqual([
    { id: asked, reason: 'requested' },
    { id: stopped, reason: 'crashed' },
  ]);
});

test.each([
  ['ACTIVE', undefined, undefined, false],
  ['CLOSED just now, and free', 0, undefined, true],
  ['CLOSED just now, and held by a live recorder', 0, 0, false],
  ['CLOSED just now, and held by a late recorder', 0, 14_000, false],
  ['CLOSED just now, and held by a dead recorder', 0, 16_000, true],
  ['CLOSED 8 s ago, and held by a live recorder', 8000, 0, false],
  ['CLOSED 9.1 s ago, and held by a live recorder', 9100, 0, true],
])('a session that is %s is finished: %#', async (_, closedMs, recorderAgeMs, isFinished) => {
  await project.sql`delete from recording_assignments`;
  const sessionId = await project.newSession();
  // In a transaction `now()` stands still.
  await inTransaction(project, async (moment) => {
    const sessions = prepareSessionQueries(moment);
    if (recorderAgeMs !== undefined) {
      const recorderId = await startRecorder(moment);
      await claimSlot(moment, recorderId, sessionId);
      await ageHeartbeat(moment, recorderId, recorderAgeMs);
    }
    if (closedMs !== undefined) {
      await sessions.closeSession(sessionId, 'user');
      await moment.sql.unsafe(
        `update sessions set closed_at = now() - $2::int * interval '1 ms' where id = $1`,
        [sessionId, closedMs],
      );
    }
    const finished = await sessions.listFinishedSessions([sessionId]);
    expect(finished).toEqual(isFinished ? [sessionId] : []);
  });
});
