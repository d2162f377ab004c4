import type { Database } from '../client.ts';

export interface LeaseQueries {
  /**
   * Takes or renews the lease of a duty for 15 s: to be repeated every 5 s. Gives its fence, which is greater at each
   * change of the holder, or undefined while another holds it.
   */
  claimLease(name: string, holder: string): Promise<number | undefined>;
  /** Gives the lease back at once, if the holder has it. */
  releaseLease(name: string, holder: string): Promise<void>;
}

const CLAIM = `
insert into leases as l (name, holder, expires_at) values ($1, $2, now() + interval '15 s')
on conflict (name) do update set fence = l.fence + (l.holder <> excluded.holder)::int, holder = excluded.holder,
  expires_at = excluded.expires_at where l.holder = excluded.holder or l.expires_at <= now() returning fence`;

// The row stays, and with it the fence.
const RELEASE = `update leases set expires_at = 'epoch' where name = $1 and holder = $2`;

/** Gives the statements on `leases`; they are prepared at their first use on each connection. */
export function prepareLeaseQueries({ sql }: Pick<Database, 'sql'>): LeaseQueries {
  return {
    async claimLease(name, holder) {
      const rows = await sql.unsafe<{ fence: string }[]>(CLAIM, [name, holder], { prepare: true });
      return rows[0] && Number(rows[0].fence);
    },
    async releaseLease(name, holder) {
      await sql.unsafe(RELEASE, [name, holder], { prepare: true });
    },
  };
}
