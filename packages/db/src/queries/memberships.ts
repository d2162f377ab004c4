import type { memberships } from '../schema/memberships.ts';
import { type DatabaseAccess, type Statement, statement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';

export type ProjectRole = (typeof memberships.$inferSelect)['role'];

export interface MembershipRow {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly role: ProjectRole;
}

export interface MemberRow extends MembershipRow {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
}

/** A change is refused when it would leave the project without an owner, or when the role is not the role that was seen. */
export type MembershipChange = 'done' | 'last_owner' | 'changed';

/** A membership, with the role that it had when the change was decided. */
interface SeenMembership {
  readonly projectId: string;
  readonly userId: string;
  readonly seenRole: ProjectRole;
}

export interface MembershipQueries {
  /** Returns the user's role in the project, or undefined: unknown, deleted and foreign projects look the same. */
  findMembership(key: {
    userId: string;
    projectId: string;
  }): Promise<{ memberRole: ProjectRole } | undefined>;
  /** Returns the user's role in the project, with the member `memberId` if there is one; undefined as for `findMembership`. */
  findMember(key: {
    userId: string;
    projectId: string;
    memberId: string;
  }): Promise<{ memberRole: ProjectRole; member: MemberRow | undefined } | undefined>;
  /**
   * Returns up to `limit` members, the oldest first. The page begins after the membership `after`; the least UUID means the
   * oldest. Returns undefined as for `findMembership`.
   */
  listMembers(page: {
    userId: string;
    projectId: string;
    after: string;
    limit: number;
  }): Promise<{ memberRole: ProjectRole; members: MemberRow[] } | undefined>;
  /**
   * Stores a membership under an id that the caller made, and lets the user into the project's rooms again. Returns
   * undefined when the user is a member already, or the project is deleted.
   */
  insertMembership(membership: MembershipRow): Promise<MembershipRow | undefined>;
  /** Changes a member's role. However many members change at once, an owner stays. */
  updateRole(membership: SeenMembership, role: ProjectRole): Promise<MembershipChange>;
  /** Deletes a membership, and bars the user from the project's rooms. However many members leave at once, an owner stays. */
  deleteMembership(membership: SeenMembership): Promise<MembershipChange>;
}

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

export const FIND_MEMBERSHIP = statement<
  [userId: string, projectId: string],
  { memberRole: ProjectRole }
>(
  'find_membership',
  `select role as "memberRole" from memberships where user_id = $1 and project_id = $2`,
);

type ListParameters = [
  projectId: string,
  callerId: string,
  after: string,
  limit: number,
  memberId: string | null,
];

/** One row for each member, or one row without any. */
type ListedMember = { readonly memberRole: ProjectRole } & (
  | { readonly id: null }
  | {
      readonly id: string;
      readonly userId: string;
      readonly role: ProjectRole;
      readonly email: string;
      readonly name: string;
    }
);

export const LIST_MEMBERS = statement<ListParameters, ListedMember>(
  'list_members',
  `
select caller.role as "memberRole", page.id, page.user_id as "userId", page.role, page.email, page.name
from memberships caller
left join lateral (
  select member.id, member.user_id, member.role, users.email, users.name
  from memberships member
  join users on users.id = member.user_id
  where member.project_id = $1
    and member.id > $3
    and ($5::uuid is null or member.user_id = $5)
  order by member.id
  limit $4
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page.id`,
);

type InsertParameters = [id: string, userId: string, projectId: string, role: ProjectRole];

// The lock on the project makes its deletion wait for us, and then find this membership.
export const INSERT_MEMBERSHIP = statement<InsertParameters, MembershipRow>(
  'insert_membership',
  `
with project as (
  select id from projects where id = $3 and deleted_at is null for share
), unbarred as (
  delete from removed_members removed using project
  where removed.project_id = project.id and removed.user_id = $2
)
insert into memberships (id, user_id, project_id, role)
select $1, $2, project.id, $4 from project
on conflict (user_id, project_id) do nothing
returning id, user_id as "userId", project_id as "projectId", role`,
);

// Changes of the members of one project wait for each other. Otherwise the last two owners could both go.
export const LOCK_PROJECT_OF_MEMBERS = statement<[projectId: string]>(
  'lock_project_of_members',
  `select 1 from projects where id = $1 for no key update`,
);

type SeenParameters = [projectId: string, userId: string, seenRole: ProjectRole];

const IS_AS_SEEN = `project_id = $1 and user_id = $2 and role = $3`;

const AN_OWNER_STAYS = `(
  $3 <> 'OWNER'
  or exists (
    select from memberships other
    where other.project_id = $1 and other.user_id <> $2 and other.role = 'OWNER'
  )
)`;

export const UPDATE_ROLE = statement<[...SeenParameters, role: ProjectRole]>(
  'update_role',
  `
update memberships set role = $4
where ${IS_AS_SEEN}
  and ($4 = 'OWNER' or ${AN_OWNER_STAYS})
returning 1`,
);

export const DELETE_MEMBERSHIP = statement<SeenParameters>(
  'delete_membership',
  `
with deleted as (
  delete from memberships
  where ${IS_AS_SEEN}
    and ${AN_OWNER_STAYS}
  returning project_id, user_id
)
insert into removed_members (project_id, user_id)
select project_id, user_id from deleted
on conflict (project_id, user_id) do update set barred_until = excluded.barred_until
returning 1`,
);

export const FIND_SEEN_MEMBERSHIP = statement<SeenParameters>(
  'find_seen_membership',
  `select 1 from memberships where ${IS_AS_SEEN}`,
);

/** Returns the queries on `memberships`. */
export function prepareMembershipQueries(database: DatabaseAccess): MembershipQueries {
  const { sql } = database;
  return {
    async findMembership({ userId, projectId }) {
      const [membership] = await FIND_MEMBERSHIP.run(sql, userId, projectId);
      return membership && { ...membership };
    },
    async findMember({ projectId, userId, memberId }) {
      const rows = await LIST_MEMBERS.run(sql, projectId, userId, LEAST_ID, 1, memberId);
      const found = membersOf(projectId, rows);
      return found && { memberRole: found.memberRole, member: found.members[0] };
    },
    async listMembers({ projectId, userId, after, limit }) {
      return membersOf(
        projectId,
        await LIST_MEMBERS.run(sql, projectId, userId, after, limit, null),
      );
    },
    async insertMembership({ id, userId, projectId, role }) {
      const [membership] = await INSERT_MEMBERSHIP.run(sql, id, userId, projectId, role);
      return membership && { ...membership };
    },
    updateRole: (membership, role) => change(database, UPDATE_ROLE, membership, role),
    deleteMembership: (membership) => change(database, DELETE_MEMBERSHIP, membership),
  };
}

function membersOf(projectId: string, rows: readonly ListedMember[]) {
  const [first] = rows;
  if (!first) return undefined;
  const members = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { id, userId, role, email, name } = row;
    return [{ id, userId, projectId, role, user: { id: userId, email, name } }];
  });
  return { memberRole: first.memberRole, members };
}

async function change<More extends readonly ProjectRole[]>(
  database: DatabaseAccess,
  changing: Statement<[...SeenParameters, ...More], object>,
  { projectId, userId, seenRole }: SeenMembership,
  ...more: More
): Promise<MembershipChange> {
  return await inTransaction(database, async ({ sql }) => {
    await LOCK_PROJECT_OF_MEMBERS.run(sql, projectId);
    const changed = await changing.run(sql, projectId, userId, seenRole, ...more);
    if (changed.length > 0) return 'done';
    const unchanged = await FIND_SEEN_MEMBERSHIP.run(sql, projectId, userId, seenRole);
    return unchanged.length > 0 ? 'last_owner' : 'changed';
  });
}
