import type { Sql } from 'postgres';
import type { Database } from '../client.ts';
import { and, eq, sql as text } from '../drizzle.ts';
import { memberships } from '../schema/memberships.ts';

export type MemberRole = (typeof memberships.$inferSelect)['role'];

export interface MembershipRow {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly role: MemberRole;
}

export interface MemberRow extends MembershipRow {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
}

/** A change of a membership is refused when it would leave no owner, or when the role is another than was seen. */
export type MembershipChange = 'done' | 'last_owner' | 'changed';

/** A membership, with the role that it had when its change was decided. */
interface SeenMembership {
  readonly projectId: string;
  readonly userId: string;
  readonly seenRole: MemberRole;
}

export interface MembershipQueries {
  /** Gives what the user is in the project, or undefined: unknown, deleted and foreign projects look the same. */
  findMembership(key: {
    userId: string;
    projectId: string;
  }): Promise<{ memberRole: MemberRole } | undefined>;
  /** Gives what the user is in the project, and one of its members if that is one; undefined as for `findMembership`. */
  findMember(key: {
    userId: string;
    projectId: string;
    memberId: string;
  }): Promise<{ memberRole: MemberRole; member: MemberRow | undefined } | undefined>;
  /**
   * Gives up to `limit` members, the oldest first, beginning after the membership `after` (the least UUID: with the
   * first); undefined as for `findMembership`.
   */
  listMembers(page: {
    userId: string;
    projectId: string;
    after: string;
    limit: number;
  }): Promise<{ memberRole: MemberRole; members: MemberRow[] } | undefined>;
  /**
   * Stores a membership under an id that the caller made, and lets the user into the project's rooms again; gives
   * undefined when they are a member already, or the project is deleted.
   */
  insertMembership(membership: MembershipRow): Promise<MembershipRow | undefined>;
  /** Gives a member another role. However many change at once, an owner stays. */
  updateRole(membership: SeenMembership, role: MemberRole): Promise<MembershipChange>;
  /** Removes a member, and bars them from the project's rooms. However many go at once, an owner stays. */
  deleteMembership(membership: SeenMembership): Promise<MembershipChange>;
}

/** What all reads of memberships give. */
export const membershipRow = {
  id: memberships.id,
  userId: memberships.userId,
  projectId: memberships.projectId,
  role: memberships.role,
};

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

const LIST = `
select asks.role as "memberRole", m.id, m.user_id as "userId", m.role, m.email, m.name from memberships asks
left join lateral (
  select mb.id, mb.user_id, mb.role, u.email, u.name from memberships mb join users u on u.id = mb.user_id
  where mb.project_id = $1 and mb.id > $3 and ($5::uuid is null or mb.user_id = $5) order by mb.id limit $4) m on true
where asks.project_id = $1 and asks.user_id = $2 order by m.id`;

// The lock lets a deletion of the project wait for us, and then find this membership.
const INSERT = `
with p as (select id from projects where id = $3 and deleted_at is null for share),
welcome as (delete from removed_members r using p where r.project_id = p.id and r.user_id = $2)
insert into memberships (id, user_id, project_id, role) select $1, $2, p.id, $4 from p
on conflict (user_id, project_id) do nothing
returning id, user_id as "userId", project_id as "projectId", role`;

// Those who change members of one project wait for each other: else the last two owners could both go.
const LOCK_PROJECT = `select 1 from projects where id = $1 for no key update`;

const AS_SEEN = `project_id = $1 and user_id = $2 and role = $3`;
const OWNER_STAYS = `
($3 <> 'OWNER' or exists (select from memberships o where o.project_id = $1 and o.user_id <> $2 and o.role = 'OWNER'))`;

const UPDATE = `update memberships set role = $4 where ${AS_SEEN} and ($4 = 'OWNER' or ${OWNER_STAYS}) returning 1`;

const DELETE = `
with gone as (delete from memberships where ${AS_SEEN} and ${OWNER_STAYS} returning project_id, user_id)
insert into removed_members (project_id, user_id) select project_id, user_id from gone
on conflict (project_id, user_id) do update set barred_until = excluded.barred_until returning 1`;

const IS_AS_SEEN = `select 1 from memberships where ${AS_SEEN}`;

/** Prepares the statements on `memberships`, once for `database`. */
export function prepareMembershipQueries({
  db,
  sql,
}: Pick<Database, 'db' | 'sql'>): MembershipQueries {
  const find = db
    .select({ memberRole: memberships.role })
    .from(memberships)
    .where(
      and(
        eq(memberships.userId, text.placeholder('userId')),
        eq(memberships.projectId, text.placeholder('projectId')),
      ),
    )
    .prepare('find_membership');
  return {
    async findMembership(key) {
      const [found] = await find.execute(key);
      return found;
    },
    async findMember({ memberId, ...key }) {
      const found = await listMembers(sql, { ...key, after: LEAST_ID, limit: 1, memberId });
      return found && { memberRole: found.memberRole, member: found.members[0] };
    },
    listMembers: (page) => listMembers(sql, { ...page, memberId: null }),
    async insertMembership({ id, userId, projectId, role }) {
      const parameters = [id, userId, projectId, role];
      const [row] = await sql.unsafe<MembershipRow[]>(INSERT, parameters, { prepare: true });
      return row && { ...row };
    },
    updateRole: (membership, role) => change(sql, UPDATE, membership, [role]),
    deleteMembership: (membership) => change(sql, DELETE, membership, []),
  };
}

async function listMembers(
  sql: Sql,
  page: {
    userId: string;
    projectId: string;
    after: string;
    limit: number;
    memberId: string | null;
  },
) {
  type Row = { memberRole: MemberRole } & (
    | { id: null }
    | { id: string; userId: string; role: MemberRole; email: string; name: string }
  );
  const { projectId, userId, after, limit, memberId } = page;
  const parameters = [projectId, userId, after, limit, memberId];
  const rows = await sql.unsafe<Row[]>(LIST, parameters, { prepare: true });
  const [first] = rows;
  if (!first) return undefined;
  const members = rows.flatMap((row) => {
    if (row.id === null) return [];
    const user = { id: row.userId, email: row.email, name: row.name };
    return [{ id: row.id, userId: row.userId, projectId, role: row.role, user }];
  });
  return { memberRole: first.memberRole, members };
}

async function change(
  sql: Sql,
  statement: string,
  { projectId, userId, seenRole }: SeenMembership,
  more: string[],
): Promise<MembershipChange> {
  return await sql.begin(async (transaction) => {
    const run = async (query: string, parameters: string[]) =>
      (await transaction.unsafe(query, parameters, { prepare: true })).length > 0;
    await run(LOCK_PROJECT, [projectId]);
    const seen = [projectId, userId, seenRole];
    if (await run(statement, [...seen, ...more])) return 'done';
    return (await run(IS_AS_SEEN, seen)) ? 'last_owner' : 'changed';
  });
}
