import type { ProjectRole } from '../../schema/memberships.ts';
import { type DatabaseAccess, type Statement, statement } from '../../statement.ts';
import {
  type AccountLimits,
  assertRoomFor,
  type ExceededLimit,
  LOCK_PROJECT,
  undoneBeyondLimit,
} from './account-limits.ts';
import { findAccount } from './account-usage.ts';

export interface MembershipRow {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly role: ProjectRole;
}

/**
 * A change is refused when it would leave the project without an owner, when the role is not the role that was seen, and when
 * the project would pass to an account that has no room for it.
 */
export type MembershipChange = 'done' | 'last_owner' | 'changed' | ExceededLimit;

/** A membership, with the role that it had when the change was decided. */
interface SeenMembership {
  readonly projectId: string;
  readonly userId: string;
  readonly seenRole: ProjectRole;
}

export interface MembershipChangeQueries {
  /**
   * Stores a membership under an id that the caller made, and lets the user into the project's rooms again. Returns
   * undefined when the user is a member already, or the project is deleted.
   */
  insertMembership(membership: MembershipRow): Promise<MembershipRow | undefined>;
  /** Changes a member's role. However many members change at once, an owner stays. */
  updateRole(
    membership: SeenMembership,
    role: ProjectRole,
    limits?: AccountLimits,
  ): Promise<MembershipChange>;
  /** Deletes a membership, and bars the user from the project's rooms. However many members leave at once, an owner stays. */
  deleteMembership(membership: SeenMembership, limits?: AccountLimits): Promise<MembershipChange>;
}

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

/** Returns the queries that change the members of a project. */
export function prepareMembershipChangeQueries(database: DatabaseAccess): MembershipChangeQueries {
  const { sql } = database;
  return {
    async insertMembership({ id, userId, projectId, role }) {
      const [membership] = await INSERT_MEMBERSHIP.run(sql, id, userId, projectId, role);
      return membership && { ...membership };
    },
    updateRole: (membership, role, limits) =>
      change({ database, limits }, UPDATE_ROLE, membership, role),
    deleteMembership: (membership, limits) =>
      change({ database, limits }, DELETE_MEMBERSHIP, membership),
  };
}

async function change<More extends readonly ProjectRole[]>(
  { database, limits = {} }: { database: DatabaseAccess; limits: AccountLimits | undefined },
  changing: Statement<[...SeenParameters, ...More], object>,
  { projectId, userId, seenRole }: SeenMembership,
  ...more: More
): Promise<MembershipChange> {
  return await undoneBeyondLimit<Exclude<MembershipChange, ExceededLimit>>(
    database,
    async ({ sql }) => {
      // Changes of the members of one project wait for each other. Otherwise the last two owners could both go.
      await LOCK_PROJECT.run(sql, projectId);
      const formerAccountId = await findAccount(sql, projectId);
      const changed = await changing.run(sql, projectId, userId, seenRole, ...more);
      if (changed.length > 0) {
        const accountId = await findAccount(sql, projectId);
        const isPassedOn = accountId !== null && accountId !== formerAccountId;
        if (isPassedOn) await assertRoomFor(sql, limits, { projectId, accountId });
        return 'done';
      }
      const unchanged = await FIND_SEEN_MEMBERSHIP.run(sql, projectId, userId, seenRole);
      return unchanged.length > 0 ? 'last_owner' : 'changed';
    },
  );
}
