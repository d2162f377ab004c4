import { type DatabaseAccess, statement } from '../../statement/statement.ts';

const LEASE_DURATION = `interval '15 s'`;

export const CLAIM_LEASE = statement<[name: string, holder: string], { fence: string }>(
  'claim_lease',
  `
insert into leases as lease (name, holder, expires_at)
values ($1, $2, now() + ${LEASE_DURATION})
on conflict (name) do update set
  fence = lease.fence + (lease.holder <> excluded.holder)::int,
  holder = excluded.holder,
  expires_at = excluded.expires_at
where lease.holder = excluded.holder
  or lease.expires_at <= now()
returning fence`,
);

/**
 * Takes or renews a lease for 15 s. Returns the fence, which grows at each change of the holder; undefined while
 * another process holds it.
 */
export async function claimLease(
  database: DatabaseAccess,
  name: string,
  holder: string,
): Promise<number | undefined> {
  const [lease] = await CLAIM_LEASE.run(database, name, holder);
  return lease && Number(lease.fence);
}

// The row stays, and with it the fence.
export const RELEASE_LEASE = statement<[name: string, holder: string]>(
  'release_lease',
  `update leases set expires_at = 'epoch' where name = $1 and holder = $2`,
);

export async function releaseLease(
  database: DatabaseAccess,
  name: string,
  holder: string,
): Promise<void> {
  await RELEASE_LEASE.run(database, name, holder);
}
