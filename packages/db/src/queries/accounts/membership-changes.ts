import type { ProjectRole } from '../../schema/memberships.ts';
import { firstRow, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { stopExternalText } from '../agents/external-agents.ts';
import { auditText } from '../operations/audit-events.ts';
import {
  type AccountLimits,
  assertRoomFor,
  type ExceededLimit,
  LOCK_PROJECT,
  undoneBeyondLimit,
} from './account-limits.ts';
import { findAccount } from './account-usage.ts';
import { HAS_ADDRESS } from './users.ts';

export interface MembershipRow {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly role: ProjectRole;
}

/**
 * A change is refused when the project's account would demote or remove itself, when a role is no longer the expected one
 * (`changed`: the member's, or that of an owner who would take the project over), or when the new account would exceed a limit.
 */
export type MembershipChange =
  | 'done'
  | 'last_owner'
  | 'project_account'
  | 'changed'
  | ExceededLimit;

interface SeenMembership {
  readonly projectId: string;
  readonly userId: string;
  readonly seenRole: ProjectRole;
  readonly by: string;
}

/**
 * Stores a membership, and lets the user into the rooms again. Returns undefined when the user is a member already, or the
 * project or the user is deleted. Locks the project, so that its deletion waits for this statement and then finds the
 * membership.
 */
export const insertMembership = statement(
  'insert_membership',
  ({ id, userId, projectId, role }: MembershipRow, by?: string) => [
    id,
    userId,
    projectId,
    role,
    by ?? null,
  ],
  firstRow<MembershipRow>,
)`
with project as (
  select id from projects where id = $3 and deleted_at is null for share
), member as (
  -- The lock waits for a deletion of the account, which is then not found.
  select id from users where id = $2 and ${HAS_ADDRESS} for key share
), unbarred as (
  delete from removed_members removed using project
  where removed.project_id = project.id and removed.user_id = $2
), added as (
  insert into memberships (id, user_id, project_id, role)
  select $1::uuid, member.id, project.id, $4 from project, member
  on conflict (user_id, project_id) do nothing
  returning id, user_id, project_id, role
), audited as (${auditText('member.added', {
  project: 'project_id',
  actor: '$5',
  target: 'user_id',
  detail: `jsonb_build_object('role', role)`,
  from: 'added',
})}
), withdrawn as (
  -- An invitation to the same address could raise the role later.
  delete from invitations invitation using added, users
  where users.id = added.user_id
    and invitation.project_id = added.project_id
    and invitation.email = users.email
)
select id, user_id as "userId", project_id as "projectId", role from added`;

type KeyParameters = [projectId: string, userId: string];

// A new owner counts as an owner from now on. Otherwise, a former owner who becomes an owner again could get the
// project.
export const UPDATE_ROLE = statement(
  'update_role',
  (...parameters: [...KeyParameters, role: ProjectRole, by: string]) => parameters,
  nothing,
)`
with changed as (
  update memberships
  set role = $3, created_at = case when $3 = 'OWNER' and role <> 'OWNER' then now() else created_at end
  where project_id = $1 and user_id = $2
  returning project_id, user_id, role, old.role as former_role
), audited as (${auditText('member.role_changed', {
  project: 'project_id',
  actor: '$4',
  target: 'user_id',
  detail: `jsonb_build_object('role', role, 'formerRole', former_role)`,
  from: 'changed where role <> former_role',
})}
)
select from changed`;

/**
 * Changes a member's role. An owner who demotes the project's account takes the project over. So a project always has an
 * owner, and nobody can give a project to another account.
 */
export async function updateRole(
  database: DatabaseAccess,
  membership: SeenMembership,
  role: ProjectRole,
  limits?: AccountLimits,
): Promise<MembershipChange> {
  return await change({ database, limits }, membership, {
    isOwner: role === 'OWNER',
    write: (client, { projectId, userId, by }) => UPDATE_ROLE(client, projectId, userId, role, by),
  });
}

/**
 * Returns the text that deletes the memberships of `condition` (`deleted`), bars these members, and removes everything by
 * which they could come back: invitations that they made, invitations to their addresses, and their external agents.
 */
export function removeMembersText(
  condition: string,
  actor: string,
  action: Parameters<typeof auditText>[0],
): string {
  return `
with deleted as (
  delete from memberships where ${condition} returning project_id, user_id, role
), barred as (
  insert into removed_members (project_id, user_id)
  select project_id, user_id from deleted
  on conflict (project_id, user_id) do update set barred_until = excluded.barred_until
), audited as (${auditText(action, {
    project: 'project_id',
    actor,
    target: 'user_id',
    detail: `jsonb_build_object('role', role)`,
    from: 'deleted',
  })}
), uninvited as (
  delete from invitations invitation using deleted, users
  where users.id = deleted.user_id and invitation.project_id = deleted.project_id
    and (invitation.created_by = users.id or invitation.email = users.email)
), ${stopExternalText('deleted', actor)}`;
}

export const DELETE_MEMBERSHIP = statement(
  'delete_membership',
  (
    ...parameters: [
      ...KeyParameters,
      by: string | null,
      action: 'member.removed' | 'api_key.deleted',
    ]
  ) => parameters,
  nothing,
)`${removeMembersText('project_id = $1 and user_id = $2', '$3', '$4')}
select pg_notify('caller_changed', user_id::text) from deleted`;

/**
 * Deletes a membership under the rules of `updateRole`, bars the user from the project's rooms, and stops their external
 * agents.
 */
export async function deleteMembership(
  database: DatabaseAccess,
  membership: SeenMembership,
  limits?: AccountLimits,
): Promise<MembershipChange> {
  return await change({ database, limits }, membership, {
    isOwner: false,
    write: (client, { projectId, userId, by }) =>
      DELETE_MEMBERSHIP(client, projectId, userId, by, 'member.removed'),
  });
}

interface SeenRow {
  readonly role: ProjectRole;
  readonly hasOtherOwner: boolean;
}

export const FIND_SEEN_MEMBERSHIP = statement(
  'find_seen_membership',
  (...parameters: KeyParameters) => parameters,
  firstRow<SeenRow>,
)`
select seen.role, exists (
  select from memberships other
  where other.project_id = $1 and other.user_id <> $2 and other.role = 'OWNER'
) as "hasOtherOwner"
from memberships seen
where seen.project_id = $1 and seen.user_id = $2`;

export const TAKE_OVER = statement(
  'take_over',
  (...parameters: [...KeyParameters, by: string]) => parameters,
  hasRows,
)`
update memberships taker
-- Another owner may have joined in the same millisecond.
set created_at = account.created_at - interval '1 ms'
from memberships account
where account.project_id = $1 and account.user_id = $2
  and taker.project_id = $1 and taker.user_id = $3 and taker.role = 'OWNER'
returning 1`;

interface Next {
  readonly isOwner: boolean;
  readonly write: (database: DatabaseAccess, membership: SeenMembership) => Promise<unknown>;
}

async function change(
  { database, limits = {} }: { database: DatabaseAccess; limits: AccountLimits | undefined },
  membership: SeenMembership,
  { isOwner, write }: Next,
): Promise<MembershipChange> {
  const { projectId, userId, seenRole, by } = membership;
  return await undoneBeyondLimit<Exclude<MembershipChange, ExceededLimit>>(
    database,
    async (transaction) => {
      // Changes of the members of one project wait for each other. Otherwise two owners could take the project over at
      // once.
      await LOCK_PROJECT(transaction, projectId);
      const seen = await FIND_SEEN_MEMBERSHIP(transaction, projectId, userId);
      if (seen?.role !== seenRole) return 'changed';
      const passesOn = !isOwner && (await findAccount(transaction, projectId)) === userId;
      if (!passesOn) {
        await write(transaction, membership);
        return 'done';
      }
      if (by === userId) return seen.hasOtherOwner ? 'project_account' : 'last_owner';
      if (!(await TAKE_OVER(transaction, projectId, userId, by))) return 'changed';
      await write(transaction, membership);
      await assertRoomFor(transaction, limits, { projectId, accountId: by });
      return 'done';
    },
  );
}
