import type { Sql } from 'postgres';
import { manyRowsId as id, withoutTerms } from './many-rows.ts';

/** The project of `insertManySessions`, and a member of it. */
export const MANY_SESSIONS = { projectId: id('project', 0), userId: id('user', 0) };

/** How many sessions each of the other projects has. */
const SESSIONS_OF_OTHERS = 50;

/**
 * Inserts `count` sessions of one project, and as many of other projects, 50 each. The sessions of the one project are numbered
 * from the oldest:
 *
 * - `Support` and `Sales` take turns; both have `Call-<n % 977>`. The oldest tenth is `Old`, the older half `Retired` or
 *   `Replaced` in turns, one in 100,000 is `Rare`.
 * - Metadata: `plan` is `pro` for a third, `customer` one of 100,000, `era` is `first` for the oldest tenth.
 * - One in 5,000 is ACTIVE. End user 1 is in all sessions, 2 in every second, 3 in one of 1,000, and 4 in the oldest tenth.
 */
export async function insertManySessions(sql: Sql, count: number): Promise<void> {
  const others = Math.ceil(count / SESSIONS_OF_OTHERS);
  await withoutTerms(sql, () =>
    sql.unsafe(`
create function pg_temp.id(text) returns uuid immutable language sql return md5($1)::uuid;
insert into users (id, email, password_hash, name) values (pg_temp.id('user0'), 'user-0@example.org', '', 'User');
insert into projects (id, name) select pg_temp.id('project' || n), 'Project' from generate_series(0, ${others}) n;
insert into memberships (id, user_id, project_id, role)
  select gen_random_uuid(), pg_temp.id('user0'), id, 'OWNER' from projects;
insert into sessions (id, project_id, created_by, created_at, name, status, close_reason, closed_at, metadata, external_id)
  select pg_temp.id('session' || n), pg_temp.id('project0'), pg_temp.id('user0'), at,
    concat_ws(' ',
      case when n % 2 = 0 then 'Support' else 'Sales' end,
      'Call-' || n % 977,
      case when n < ${count} / 10 then 'Old' end,
      case when n >= ${count} / 2 then null when n % 2 = 0 then 'Retired' else 'Replaced' end,
      case when n % 100000 = 5 then 'Rare' end),
    case when n % 5000 = 1 then 'ACTIVE' else 'CLOSED' end, case when n % 5000 <> 1 then 'user' end, case when n % 5000 <> 1 then at end,
    jsonb_build_object('plan', case when n % 3 = 0 then 'pro' else 'free' end, 'customer', 'c-' || n % 100000)
      || case when n < ${count} / 10 then '{"era": "first"}' else '{}' end::jsonb,
    case when n % 4 = 0 then 'e-' || n end
  from generate_series(0, ${count} - 1) n, lateral (select timestamptz '2026-01-01' + n / 3 * interval '1 s' as at) _;
insert into sessions (id, project_id, created_by, created_at, name, status, close_reason, closed_at, metadata)
  select pg_temp.id('other' || n), pg_temp.id('project' || 1 + n % ${others}), pg_temp.id('user0'), at,
    case when n % 2 = 0 then 'Support' else 'Sales' end || ' Call-' || n % 977, 'CLOSED', 'user', at,
    jsonb_build_object('plan', case when n % 3 = 0 then 'pro' else 'free' end, 'customer', 'c-' || n % 100000)
  from generate_series(0, ${count} - 1) n, lateral (select timestamptz '2026-01-01' + n / 3 * interval '1 s' as at) _;
insert into session_heads (session_id, last_at) select id, created_at from sessions;
insert into session_end_users (session_id, user_id, issued_by, project_id, session_created_at)
  select session.id, pg_temp.id('end_user' || who), created_by, project_id, created_at
  from generate_series(0, ${count} - 1) n, generate_series(1, 4) who, sessions session
  where session.id = pg_temp.id('session' || n)
    and case who when 1 then true when 2 then n % 2 = 0 when 3 then n % 1000 = 0 else n < ${count} / 10 end;
`),
  );
  await sql`vacuum analyze`;
}
