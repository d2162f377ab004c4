import { beforeAll, expect, test } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { openNotifications } from '../../../testing/notifications.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { addRecorder, ageHeartbeat, claimSlot } from '../../../testing/recorders.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { requestAgentStop, updateAgentState } from '../agents/agent-changes.ts';
import { findAgent } from '../agents/agents.ts';
import { closeSession, STOP_AGENTS_OF_SESSIONS } from './session-end.ts';
import { listFinishedSessions } from './sessions.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

test('the agents of the sessions are asked to stop, once, and the reconciler is notified of each', async () => {
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const ids = [
    await addAgent(project, { sessionId }),
    await addAgent(project, { sessionId, role: 'light-agent' }),
  ];
  const untouched = await addAgent(project, { sessionId: other });
  await using notifications = await openNotifications(project.url);
  await STOP_AGENTS_OF_SESSIONS(project, [sessionId]);
  expect((await notifications.take()).toSorted()).toEqual(
    ids.map((id) => `agent_changed ${id}`).toSorted(),
  );
  await STOP_AGENTS_OF_SESSIONS(project, [sessionId]);
  expect(await notifications.take()).toEqual([]);
  for (const id of ids) {
    expect(await findAgent(project, { id, userId: project.userId })).toMatchObject({
      desired: 'stopped',
      reason: 'session_closed',
      status: 'Starting',
    });
  }
  expect(await findAgent(project, { id: untouched, userId: project.userId })).toMatchObject({
    desired: 'running',
    reason: null,
  });
});

test('an agent that was asked before, or has stopped, keeps its reason', async () => {
  const sessionId = await project.newSession();
  const [asked, stopped] = [
    await addAgent(project, { sessionId }),
    await addAgent(project, { sessionId, role: 'light-agent' }),
  ];
  await requestAgentStop(project, asked, 'requested');
  const end = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 } as const;
  await updateAgentState(project, stopped, end);
  await STOP_AGENTS_OF_SESSIONS(project, [sessionId]);
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
    if (recorderAgeMs !== undefined) {
      const recorderId = await addRecorder(moment);
      await claimSlot(moment, recorderId, sessionId);
      await ageHeartbeat(moment, recorderId, recorderAgeMs);
    }
    if (closedMs !== undefined) {
      await closeSession(moment, sessionId, 'user');
      await moment.sql.unsafe(
        `update sessions set closed_at = now() - $2::int * interval '1 ms' where id = $1`,
        [sessionId, closedMs],
      );
    }
    const finished = await listFinishedSessions(moment, [sessionId]);
    expect(finished).toEqual(isFinished ? [sessionId] : []);
  });
});
