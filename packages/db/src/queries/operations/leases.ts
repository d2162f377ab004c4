import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

const LEASE_DURATION = `interval '15 s'`;

/**
 * Takes or renews a lease for 15 s. Returns the fence, which grows at each change of the holder; undefined while
 * another process holds it.
 */
export const claimLease = statement(
  'claim_lease',
  (name: string, holder: string) => [name, holder],
  ([lease]: { fence: string }[]) => lease && Number(lease.fence),
)`
insert into leases as lease (name, holder, expires_at)
values ($1, $2, now() + ${LEASE_DURATION})
on conflict (name) do update set
  fence = lease.fence + (lease.holder <> excluded.holder)::int,
  holder = excluded.holder,
  expires_at = excluded.expires_at
where lease.holder = excluded.holder
  or lease.expires_at <= now()
returning fence`;

// The row stays, and with it the fence.
export const releaseLease = statement(
  'release_lease',
  (name: string, holder: string) => [name, holder],
  nothing,
)`
update leases set expires_at = 'epoch' where name = $1 and holder = $2`;
