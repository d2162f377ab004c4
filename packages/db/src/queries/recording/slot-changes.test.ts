import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { addRecorder, claimSlot } from '../../../testing/recorders.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { deleteSlot, giveUpSlot, releaseSlot, type SlotKey, updateSlot } from './slots.ts';

/** A slot that a recorder holds, and its key. */
async function openSetting() {
  const project = await createTestProject();
  const sessionId = await project.newSession();
  const key = await claimSlot(project, await addRecorder(project), sessionId);
  return {
    project,
    key,
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

const RECORDING = {
  status: 'recording',
  connectedAt: '2026-11-21T08:00:00.100Z',
  attempts: 2,
  failure: 'refused',
} as const;

const CHANGES: Readonly<
  Record<string, (database: DatabaseAccess, key: SlotKey) => Promise<boolean>>
> = {
  updateSlot: (database, key) => updateSlot(database, key, RECORDING),
  giveUpSlot: (database, key) => giveUpSlot(database, key, 5, 'refused'),
  releaseSlot: (database, key) => releaseSlot(database, key),
  deleteSlot: (database, key) => deleteSlot(database, key),
};

test.each(Object.entries(CHANGES))(
  '%s gives up soon when another transaction holds the slot, and changes it afterwards',
  async (_, change) => {
    await using setting = await openSetting();
    const { project, key } = setting;
    await project.sql.begin(async (sql) => {
      await sql`select from recording_assignments for update`;
      await expect(change(project, key)).rejects.toMatchObject({ code: '55P03' });
    });
    expect(await change(project, key)).toBe(true);
  },
);

const WRONG_KEYS: readonly [string, (key: SlotKey) => SlotKey][] = [
  ['an older epoch', (key) => ({ ...key, epoch: key.epoch - 1 })],
  ['an epoch to come', (key) => ({ ...key, epoch: key.epoch + 1 })],
  ['another recorder', (key) => ({ ...key, recorderId: uuidv7() })],
  ['another slot', (key) => ({ ...key, slotNumber: 1 })],
  ['another session', (key) => ({ ...key, sessionId: uuidv7() })],
];

test.each(
  Object.entries(CHANGES).flatMap(([name, change]) =>
    WRONG_KEYS.map(([what, wrong]) => [name, what, change, wrong] as const),
  ),
)('%s with %s changes nothing and says so', async (_, __, change, wrong) => {
  await using setting = await openSetting();
  const { project, key } = setting;
  const before = await project.sql`select * from recording_assignments`;
  expect(await change(project, wrong(key))).toBe(false);
  expect(await project.sql`select * from recording_assignments`).toEqual(before);
  expect(await change(project, key)).toBe(true);
});

test('the state of a slot is stored as it is given, and a given-up slot is free, lost, and says why', async () => {
  await using setting = await openSetting();
  const { project, key } = setting;
  await updateSlot(project, key, RECORDING);
  const read = async () =>
    await project.sql`
    select status, connected_at, attempts, failure, recorder_id from recording_assignments`;
  expect(await read()).toEqual([
    {
      status: 'recording',
      connected_at: '2026-11-21T08:00:00.100Z',
      attempts: 2,
      failure: 'refused',
      recorder_id: key.recorderId,
    },
  ]);
  await giveUpSlot(project, key, 5, 'no permission');
  expect(await read()).toEqual([
    {
      status: 'lost',
      connected_at: null,
      attempts: 5,
      failure: 'no permission',
      recorder_id: null,
    },
  ]);
});

test('a released slot forgets the attempts and the failure of its recorder', async () => {
  await using setting = await openSetting();
  const { project, key } = setting;
  await updateSlot(project, key, RECORDING);
  await releaseSlot(project, key);
  const rows = await project.sql`
    select status, connected_at, attempts, failure, recorder_id from recording_assignments`;
  expect(rows).toEqual([
    { status: 'waiting', connected_at: null, attempts: 0, failure: null, recorder_id: null },
  ]);
});
