import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { createSuccessor, dropSuccessor } from '../../../testing/successor.ts';
import { openDatabase } from '../../connection/client.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { updateAgentState } from '../agents/agent-changes.ts';
import { provideSlots } from '../recording/slots.ts';
import { closeSession } from '../sessions/session-end.ts';
import { countAgents, countConnections, countRecorders, countRecording } from './service-counts.ts';

test('the agents of all projects are counted by status, and connections by state under their name', async ({
  project,
}) => {
  expect(await countAgents(project)).toEqual([]);
  const state = { reason: null, detail: null, exitCode: null };
  for (const status of ['Starting', 'Starting', 'Running', 'Stopped'] as const) {
    await updateAgentState(project, await addAgent(project), { ...state, status });
  }
  const counts = await countAgents(project);
  expect(counts.toSorted((a, b) => b.count - a.count)).toEqual([
    { status: 'Starting', count: 2 },
    { status: 'Running', count: 1 },
  ]);
  const applicationName = `test-${uuidv7()}`;
  await using own = openDatabase(project.url, { applicationName, connections: 1 });
  expect(await countConnections(own, applicationName)).toEqual([{ state: 'active', count: 1 }]);
  expect(await countConnections(own, `${applicationName}-other`)).toEqual([]);
});

test('a role that takes the place of another one counts its connections by state too, and keeps that place', async ({
  project,
}) => {
  const owner = `owner_${uuidv7().replaceAll('-', '')}`;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dropSuccessor(project, owner));
  const url = await createSuccessor(project, owner);
  const settings = { applicationName: owner, connections: 1 };
  const own = stack.use(openDatabase(url, settings));
  expect(await countConnections(own, owner)).toEqual([{ state: 'active', count: 1 }]);
  expect(await own.sql`select current_user as name`).toEqual([{ name: owner }]);
});

test('sessions count as unrecorded from 15 s on, by their best slot, and as under-recorded while fewer recorders record than asked', async ({
  project,
}) => {
  const none = { lost: 0, reconnecting: 0, waiting: 0 };
  const counts = { active: 0, unrecorded: none, underRecorded: 0, unclaimedSlots: 0 };
  expect(await countRecording(project)).toEqual(counts);
  const [sessionId = '', closed = '', deleted = ''] = await project.newSessions(3);
  await closeSession(project, closed, 'user');
  await project.sql`update sessions set deleted_at = now() where id = ${deleted}`;
  // In a transaction `now()` stands still.
  await inTransaction(project, async (moment) => {
    const { sql } = moment;
    await sql`update sessions set created_at = now()`;
    const recorders = [await addRecorder(moment), await addRecorder(moment)] as const;
    await provideSlots(moment, 2, recorders[0]);
    const one = { ...counts, active: 1 };
    expect(await countRecording(moment)).toEqual({ ...one, unclaimedSlots: 2 });
    await sql`update sessions set created_at = now() - interval '15.1 s'`;
    const waiting = { ...one, unrecorded: { ...none, waiting: 1 } };
    expect(await countRecording(moment)).toEqual({ ...waiting, unclaimedSlots: 2 });
    const put = async (slot: number, recorderId: string, status: string) => {
      await sql`
      update recording_assignments set recorder_id = ${recorderId}, status = ${status}
      where session_id = ${sessionId} and slot = ${slot}`;
      return await countRecording(moment);
    };
    const reconnecting = { ...one, unrecorded: { ...none, reconnecting: 1 } };
    const under = { ...one, underRecorded: 1 };
    expect([
      await put(0, recorders[0], 'connecting'),
      await put(0, recorders[0], 'lost'),
      await put(1, recorders[1], 'lost'),
      await put(1, recorders[1], 'reconnecting'),
      await put(0, recorders[0], 'recording'),
      await put(1, recorders[1], 'recording'),
    ]).toEqual([
      { ...waiting, unclaimedSlots: 1 },
      { ...waiting, unclaimedSlots: 1 },
      { ...one, unrecorded: { ...none, lost: 1 } },
      reconnecting,
      under,
      one,
    ]);
    // It is unknown whether a late recorder records. A dead one does not.
    await ageHeartbeat(moment, recorders[0], 2100);
    expect(await countRecording(moment)).toEqual(under);
    await ageHeartbeat(moment, recorders[1], 2100);
    expect(await countRecording(moment)).toEqual(reconnecting);
    await ageHeartbeat(moment, recorders[1], 15_100);
    expect(await countRecording(moment)).toEqual({ ...reconnecting, unclaimedSlots: 1 });
    await ageHeartbeat(moment, recorders[0], 15_100);
    expect(await countRecording(moment)).toEqual({ ...waiting, unclaimedSlots: 2 });
    await sql`delete from recording_assignments`;
    expect(await countRecording(moment)).toEqual(waiting);
  });
});

test('recorders count by state: dead for an hour, unless they drained before they ended', async ({
  project,
}) => {
  // In a transaction `now()` stands still.
  await inTransaction(project, async (moment) => {
    const { sql } = moment;
    const ages = { live: 0, draining: 0, late: 2100, dead: 15_100, 'long dead': 3_600_100 };
    for (const [state, ageMs] of Object.entries(ages)) {
      const id = await addRecorder(moment);
      if (state === 'draining') await sql`update recorders set draining = true where id = ${id}`;
      await ageHeartbeat(moment, id, ageMs);
    }
    const drained = await addRecorder(moment);
    await sql`update recorders set draining = true where id = ${drained}`;
    await ageHeartbeat(moment, drained, 15_100);
    expect(
      (await countRecorders(moment)).toSorted((a, b) => a.state.localeCompare(b.state)),
    ).toEqual(['dead', 'draining', 'late', 'live'].map((state) => ({ state, count: 1 })));
  });
});
