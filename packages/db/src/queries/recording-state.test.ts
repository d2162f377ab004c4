import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestProject, type TestProject } from '../../testing/project.ts';
import { addRecorder, ageHeartbeat } from '../../testing/recorders.ts';
import { findSession } from './sessions/sessions.ts';

let project: AsyncDisposable & TestProject;
let sessionId: string;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

beforeEach(async () => {
  sessionId = await project.newSession();
  await project.sql`delete from recording_assignments where session_id = ${sessionId}`;
});

/** A slot with this status. `ageMs`: the age of its recorder's last heartbeat; undefined for a free slot. */
interface Slot {
  readonly status: string;
  readonly ageMs?: number;
}

async function insertSlot(slot: number, { status, ageMs }: Slot): Promise<void> {
  const recorderId = ageMs === undefined ? null : await addRecorder(project);
  await project.sql`
    insert into recording_assignments (session_id, slot, recorder_id, status, connected_at)
    values (${sessionId}, ${slot}, ${recorderId}, ${status}, ${`2026-11-21T08:00:0${slot}Z`})`;
  if (recorderId && ageMs) await ageHeartbeat(project, recorderId, ageMs);
}

async function readState() {
  const session = await findSession(project, { id: sessionId, userId: project.userId });
  return [session?.recordingStatus, session?.connectedAt];
}

const live = -60_000;
const late = 5000;
const dead = 20_000;

test.each<[string, Slot, string, boolean]>([
  ['a free slot waits', { status: 'waiting' }, 'waiting', false],
  ['a slot that was given up is lost', { status: 'lost' }, 'lost', false],
  ['a connecting slot waits', { status: 'connecting', ageMs: live }, 'waiting', false],
  ['a slot that records is recording', { status: 'recording', ageMs: live }, 'recording', true],
  [
    'a reconnecting slot reconnects',
    { status: 'reconnecting', ageMs: live },
    'reconnecting',
    false,
  ],
  [
    'a slot that records is not shown as recording while its recorder is late',
    { status: 'recording', ageMs: late },
    'reconnecting',
    false,
  ],
  [
    'a recorder that is late may reconnect',
    { status: 'reconnecting', ageMs: late },
    'reconnecting',
    false,
  ],
  ['the slot of a dead recorder waits', { status: 'recording', ageMs: dead }, 'waiting', false],
  ['a dead recorder does not reconnect', { status: 'reconnecting', ageMs: dead }, 'waiting', false],
])('%s', async (_, slot, status, isConnected) => {
  await insertSlot(0, slot);
  expect(await readState()).toEqual([status, isConnected ? '2026-11-21T08:00:00.000Z' : null]);
});

test.each<[string, readonly Slot[], string, string | null]>([
  [
    'the best of three slots counts, wherever it stands',
    [{ status: 'lost' }, { status: 'waiting' }, { status: 'recording', ageMs: live }],
    'recording',
    '2026-11-21T08:00:02.000Z',
  ],
  [
    'of two that record the first slot counts',
    [
      { status: 'recording', ageMs: live },
      { status: 'recording', ageMs: live },
    ],
    'recording',
    '2026-11-21T08:00:00.000Z',
  ],
  [
    'a recorder that records beats a late recorder in a slot before it',
    [
      { status: 'recording', ageMs: late },
      { status: 'recording', ageMs: live },
    ],
    'recording',
    '2026-11-21T08:00:01.000Z',
  ],
  [
    'a reconnecting slot beats a waiting one',
    [{ status: 'waiting' }, { status: 'reconnecting', ageMs: live }],
    'reconnecting',
    null,
  ],
  [
    'a slot that still waits beats a lost one',
    [{ status: 'lost' }, { status: 'recording', ageMs: dead }],
    'waiting',
    null,
  ],
])('%s', async (_, slots, status, connectedAt) => {
  for (const [index, slot] of slots.entries()) await insertSlot(index, slot);
  expect(await readState()).toEqual([status, connectedAt]);
});

test('a session without slots has no state of recording', async () => {
  expect(await readState()).toEqual([null, null]);
});

test('the slots of other sessions do not count', async () => {
  const other = await project.newSession();
  const recorderId = await addRecorder(project);
  await ageHeartbeat(project, recorderId, live);
  await project.sql`
    update recording_assignments set status = 'recording', recorder_id = ${recorderId} where session_id = ${other}`;
  await insertSlot(0, { status: 'lost' });
  expect(await readState()).toEqual(['lost', null]);
});
