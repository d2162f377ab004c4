import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { openDatabase } from '../../connection/client.ts';
import { RANK_SLOTS } from './slot-ranks.ts';

/** A recorder with three slots: of sessions with a message, without one, and with one, in this order. */
async function newHolder(project: TestProject): Promise<{ id: string; sessions: string[] }> {
  const { sql } = project;
  const id = await addRecorder(project);
  const sessions = await project.newSessions(3);
  await sql`update recording_assignments set recorder_id = ${id} where session_id in ${sql(sessions)}`;
  await sql`
    update session_heads set message_count = 1, last_at = '2026-11-21T08:00:00Z'
    where session_id in ${sql(sessions)} and session_id <> ${sessions[1] ?? ''}`;
  return { id, sessions };
}

async function ranks({ sql }: TestProject, recorderId: string): Promise<unknown[]> {
  const rows = await sql`
    select last_message_at is not null as ranked from recording_assignments
    where recorder_id = ${recorderId} order by session_id`;
  return rows.map(({ ranked }) => ranked);
}

const RANKED = [true, false, true];
const UNRANKED = [false, false, false];

test('a dead and a draining recorder: the slots of both are ranked, once', async ({ project }) => {
  const [alive, dead, draining] = [
    await newHolder(project),
    await newHolder(project),
    await newHolder(project),
  ];
  await ageHeartbeat(project, dead.id, 15_100);
  await project.sql`update recorders set draining = true where id = ${draining.id}`;
  const counts: number[] = [];
  for (const fromDead of [false, false, true, true]) {
    counts.push(await RANK_SLOTS(project, fromDead));
  }
  expect(counts).toEqual([1, 0, 1, 0]);
  expect(await ranks(project, dead.id)).toEqual(RANKED);
  expect(await ranks(project, draining.id)).toEqual(RANKED);
  expect(await ranks(project, alive.id)).toEqual(UNRANKED);
});

test('slots that nobody claims for ten seconds are ranked again, with the messages that other recorders stored', async ({
  project,
}) => {
  const { sql } = project;
  const { id } = await newHolder(project);
  await ageHeartbeat(project, id, 15_100);
  await RANK_SLOTS(project, true);
  await sql`update session_heads set message_count = 1`;
  await sql`update recorders set slots_ranked_at = now() - interval '1 s'`;
  expect(await RANK_SLOTS(project, true)).toBe(0);
  await sql`update recorders set slots_ranked_at = now() - interval '10.1 s'`;
  expect(await RANK_SLOTS(project, true)).toBe(1);
  expect(await ranks(project, id)).toEqual([true, true, true]);
});

test('ranking waits neither for a claim of a slot nor for another that ranks', async ({
  project,
}) => {
  const { id, sessions } = await newHolder(project);
  await ageHeartbeat(project, id, 15_100);
  await using other = openDatabase(project.url, { connections: 1 });
  await other.sql.begin(async (sql) => {
    await sql`select from recording_assignments where session_id = ${sessions[0] ?? ''} for update`;
    expect(await RANK_SLOTS(project, true)).toBe(1);
  });
  expect(await ranks(project, id)).toEqual([false, false, true]);
  await project.sql`update recorders set slots_ranked_at = null`;
  await other.sql.begin(async (sql) => {
    await sql`select from recorders where id = ${id} for update`;
    expect(await RANK_SLOTS(project, true)).toBe(0);
  });
  expect(await RANK_SLOTS(project, true)).toBe(1);
  expect(await ranks(project, id)).toEqual(RANKED);
});
