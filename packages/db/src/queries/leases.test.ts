import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { prepareLeaseQueries } from './leases.ts';

test('of three that want a duty one leads and renews; the next has a greater fence', async () => {
  await using project = await createTestProject();
  const leases = prepareLeaseQueries(project);
  const holders = [uuidv7(), uuidv7(), uuidv7()];
  const fences = await Promise.all(
    holders.map((holder) => leases.claimLease('reconciler', holder)),
  );
  expect(fences.filter((fence) => fence !== undefined)).toEqual([1]);
  const leader = holders[fences.indexOf(1)] ?? '';
  const next = holders.find((holder) => holder !== leader) ?? '';
  expect(await leases.claimLease('reconciler', leader)).toBe(1);
  await leases.releaseLease('reconciler', next);
  expect(await leases.claimLease('reconciler', next)).toBeUndefined();
  await leases.releaseLease('reconciler', leader);
  expect(await leases.claimLease('reconciler', next)).toBe(2);
  await project.sql`update leases set expires_at = now() - interval '1 s'`;
  expect(await leases.claimLease('reconciler', leader)).toBe(3);
});
