import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { claimKey, deleteExpiredKeys } from './idempotency-keys.ts';

/** Creates a session, or returns the session that the key made before; `fault` ends the transaction before its commit. */
async function makeOnce(project: TestProject, key: string, what: string, fault?: Error) {
  const [objectId, scope] = [uuidv7(), project.userId];
  const outcome = { id: objectId, isSame: true };
  await inTransaction(project, async (transaction) => {
    const claim = { scope, key, requestHash: Buffer.from(what), objectId };
    const made = await claimKey(transaction, claim);
    if (made) {
      Object.assign(outcome, { id: made.objectId, isSame: made.isSame });
      return;
    }
    const session = { id: objectId, projectId: project.projectId, name: what };
    await insertSession(transaction, { ...session, createdBy: scope });
    if (fault) throw fault;
  });
  return outcome;
}

test('equal requests at the same moment, some of which fail: each key makes one object', async ({
  project,
}) => {
  // On a busy machine the requests may wait for each other longer than callers would.
  await using patient = openDatabase(`${project.url}?lock_timeout=0`);
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  const fault = new Error('died');
  const made = await Promise.all(
    keys.map(async (key) => {
      const many = Array.from({ length: 5 }, async (_, index) =>
        makeOnce({ ...project, sql: patient.sql }, key, 'a', index === 0 ? fault : undefined),
      );
      const ends = await Promise.allSettled(many);
      expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))).toEqual(
        ends[0]?.status === 'rejected' ? [fault] : [],
      );
      const ids = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.id] : []));
      expect(new Set(ids).size).toBe(1);
      return ids[0] ?? '';
    }),
  );
  const stored = await project.sql<{ id: string }[]>`select id from sessions`;
  expect(stored.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
});

test('a key refuses another request for a day, then is free again and can be deleted', async ({
  project,
}) => {
  const first = await makeOnce(project, 'key', 'a');
  expect(await makeOnce(project, 'key', 'b')).toEqual({ id: first.id, isSame: false });
  await project.sql`update idempotency_keys set created_at = now() - interval '24 h 1 s'`;
  const second = await makeOnce(project, 'key', 'b');
  expect([second.isSame, second.id === first.id]).toEqual([true, false]);
  expect(await deleteExpiredKeys(project, 9)).toBe(0);
  await makeOnce(project, 'other', 'b');
  await project.sql`update idempotency_keys set created_at = now() - interval '25 h'`;
  expect([await deleteExpiredKeys(project, 1), await deleteExpiredKeys(project, 9)]).toEqual([
    1, 1,
  ]);
});

test('while a request is running, another request with its key waits no longer than the lock timeout', async ({
  project,
}) => {
  await using impatient = openDatabase(`${project.url}?lock_timeout=50`);
  const atWork = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const claim = {
    scope: project.userId,
    key: 'key',
    requestHash: Buffer.from('a'),
    objectId: uuidv7(),
  };
  const first = inTransaction(project, async (transaction) => {
    await claimKey(transaction, claim);
    atWork.resolve();
    await done.promise;
  });
  await atWork.promise;
  const other = claimKey(impatient, claim);
  await expect(other).rejects.toMatchObject({ code: '55P03' });
  done.resolve();
  await first;
});

test('a key means something only for its caller', async ({ project }) => {
  const claim = { key: 'key', requestHash: Buffer.from('a') };
  const [first, second] = [uuidv7(), uuidv7()];
  for (const scope of [first, second]) {
    expect(await claimKey(project, { ...claim, scope, objectId: uuidv7() })).toBeUndefined();
  }
  const again = { ...claim, scope: first, objectId: uuidv7(), requestHash: Buffer.from('b') };
  expect(await claimKey(project, again)).toMatchObject({ isSame: false });
});

test.each([
  ['23:59:59', false],
  ['24:00:01', true],
])('a key that is %s old is free: %s', async (age, isFree) => {
  await using project = await createTestProject();
  const claim = { scope: uuidv7(), key: 'key', requestHash: Buffer.from('a'), objectId: uuidv7() };
  await claimKey(project, claim);
  await project.sql`update idempotency_keys set created_at = now() - ${age}::interval`;
  const next = { ...claim, objectId: uuidv7() };
  const use = { objectId: claim.objectId, isSame: true };
  expect(await claimKey(project, next)).toEqual(isFree ? undefined : use);
  // The lifetime of a key that is claimed again begins with the new claim.
  expect(await deleteExpiredKeys(project, 9)).toBe(0);
});

test('two processes that delete expired keys at once delete each once, and wait for no claim', async ({
  project,
}) => {
  const requestHash = Buffer.from('a');
  for (let index = 0; index < 20; index += 1) {
    await claimKey(project, { scope: uuidv7(), key: `${index}`, requestHash, objectId: uuidv7() });
  }
  await project.sql`update idempotency_keys set created_at = now() - interval '25 h'`;
  const counts = await Promise.all([
    deleteExpiredKeys(project, 12),
    deleteExpiredKeys(project, 12),
  ]);
  expect(counts[0] + counts[1] + (await deleteExpiredKeys(project, 100))).toBe(20);
  expect(await deleteExpiredKeys(project, 100)).toBe(0);
});

test('a claim that is rolled back leaves the key free', async ({ project }) => {
  const claim = { scope: uuidv7(), key: 'key', requestHash: Buffer.from('a'), objectId: uuidv7() };
  const failure = new Error('the object could not be made');
  const attempt = inTransaction(project, async (transaction) => {
    await claimKey(transaction, claim);
    throw failure;
  });
  await expect(attempt).rejects.toBe(failure);
  expect(await claimKey(project, claim)).toBeUndefined();
});
