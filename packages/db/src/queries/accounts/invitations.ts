import type { AuditAction } from '@session/contract';
import type { ProjectRole } from '../../schema/memberships.ts';
import { firstRow, hasRows, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { auditText } from '../operations/audit-events.ts';
import { LOCK_PROJECT } from './account-limits.ts';
import { insertMembership, UPDATE_ROLE } from './membership-changes.ts';
import { findMembership, pageOfMember, type RowOfMember } from './memberships.ts';

export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: ProjectRole;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string;
}

const IS_OPEN = `(
  invitation.expires_at > now() and exists (
    select from memberships creator
    where creator.project_id = invitation.project_id and creator.user_id = invitation.created_by
      and (creator.role = 'OWNER' or creator.role = 'ADMIN' and invitation.role = 'MEMBER')
  )
)`;

const COLUMNS = `invitation.id, invitation.email, invitation.role, invitation.created_at as "createdAt",
  invitation.created_by as "createdBy", invitation.expires_at as "expiresAt"`;

function noted(action: AuditAction, actor: string, from: string): string {
  const detail = `jsonb_build_object('email', email, 'role', role)`;
  return auditText(action, { project: 'project_id', actor, target: 'id', detail, from });
}

interface NewInvitationRow {
  readonly id: string;
  readonly projectId: string;
  readonly email: string;
  readonly role: ProjectRole;
  readonly secretHash: Buffer;
  readonly createdBy: string;
}

export const INSERT_INVITATION = statement(
  'insert_invitation',
  ({ id, projectId, email, role, secretHash, createdBy }: NewInvitationRow, limit: number) => [
    id,
    projectId,
    email,
    role,
    secretHash,
    createdBy,
    limit,
  ],
  firstRow<InvitationRow>,
)`
with project as (
  select id from projects where id = $2 and deleted_at is null
), invitation as (
  insert into invitations as former (id, project_id, email, role, secret_hash, created_by, expires_at)
  select $1::uuid, project.id, $3, $4, $5, $6::uuid, now() + interval '7 d' from project
  where $7::int > (
    select count(*) from invitations invitation
    where invitation.project_id = $2 and invitation.email <> $3 and ${IS_OPEN}
  )
  on conflict (project_id, email) do update set
    id = excluded.id, role = excluded.role, secret_hash = excluded.secret_hash,
    created_by = excluded.created_by, created_at = excluded.created_at, expires_at = excluded.expires_at
  returning former.*
), audited as (${noted('invitation.created', 'created_by', 'invitation')}
)
select ${COLUMNS} from invitation`;

export const HAS_MEMBER_OF_EMAIL = statement(
  'has_member_of_email',
  (projectId: string, email: string) => [projectId, email],
  hasRows,
)`
select from users join memberships member on member.user_id = users.id
where users.email = $2 and member.project_id = $1`;

/**
 * Stores an invitation for 7 days, in place of an earlier one for the same lower-case `email`. Returns `already_member` if the
 * address is that of a member, and `refused` if the project is deleted or already has `limit` open invitations for other
 * addresses.
 */
export async function insertInvitation(
  database: DatabaseAccess,
  invitation: NewInvitationRow,
  limit: number,
): Promise<InvitationRow | 'already_member' | 'refused'> {
  const { projectId, email } = invitation;
  return await inTransaction(database, async (transaction) => {
    // Two creations must not count the same invitations, and nobody may become a member by a link meanwhile.
    await LOCK_PROJECT(transaction, projectId);
    if (await HAS_MEMBER_OF_EMAIL(transaction, projectId, email)) return 'already_member';
    return (await INSERT_INVITATION(transaction, invitation, limit)) ?? 'refused';
  });
}

export const listInvitations = statement(
  'list_invitations',
  (page: { projectId: string; userId: string; before: string; limit: number }) => [
    page.projectId,
    page.userId,
    page.before,
    page.limit,
  ],
  (rows: RowOfMember<InvitationRow>[]) => {
    const page = pageOfMember<InvitationRow>(rows);
    return page && { memberRole: page.memberRole, invitations: page.items };
  },
)`
select caller.role as "memberRole", page.*
from memberships caller
left join lateral (
  select ${COLUMNS}
  from invitations invitation
  where invitation.project_id = $1 and invitation.id < $3 and ${IS_OPEN}
  order by invitation.id desc
  limit $4
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page.id desc`;

interface FoundInvitation {
  readonly memberRole: ProjectRole;
  readonly projectId: string;
}

export const findInvitation = statement(
  'find_invitation',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  firstRow<FoundInvitation>,
)`
select caller.role as "memberRole", caller.project_id as "projectId"
from invitations invitation
join memberships caller on caller.project_id = invitation.project_id and caller.user_id = $2
where invitation.id = $1`;

export const DELETE_INVITATION = statement(
  'delete_invitation',
  (id: string, by: string) => [id, by],
  hasRows,
)`
with deleted as (
  delete from invitations where id = $1 returning id, project_id, email, role
), audited as (${noted('invitation.deleted', '$2', 'deleted')}
)
select from deleted`;

export async function deleteInvitation(
  database: DatabaseAccess,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  by: string,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    // Locks the project first, as its deletion does. Otherwise both could deadlock.
    await LOCK_PROJECT(transaction, projectId);
    return await DELETE_INVITATION(transaction, id, by);
  });
}

interface OpenInvitation {
  readonly projectId: string;
  readonly projectName: string;
  readonly email: string;
  readonly role: ProjectRole;
  readonly expiresAt: string;
}

/**
 * Returns the invitation of a secret; undefined if the invitation is unknown, used, replaced, deleted or expired, if its
 * project is deleted, or if its creator may no longer add a member of this role.
 */
export const findOpenInvitation = statement(
  'find_open_invitation',
  (secretHash: Buffer) => [secretHash],
  firstRow<OpenInvitation>,
)`
select project.id as "projectId", project.name as "projectName", invitation.email, invitation.role,
  invitation.expires_at as "expiresAt"
from invitations invitation
join projects project on project.id = invitation.project_id
where invitation.secret_hash = $1 and project.deleted_at is null and ${IS_OPEN}`;

export const ACCEPT_INVITATION = statement(
  'accept_invitation',
  (secretHash: Buffer, by: string) => [secretHash, by],
  firstRow<{ readonly role: ProjectRole }>,
)`
with accepted as (
  delete from invitations invitation
  where invitation.secret_hash = $1 and ${IS_OPEN}
  returning id, project_id, email, role
), audited as (${noted('invitation.accepted', '$2', 'accepted')}
)
select role from accepted`;

const RANK = { MEMBER: 0, ADMIN: 1, OWNER: 2 } as const satisfies Record<ProjectRole, number>;

/**
 * Accepts an invitation: the user becomes a member, or keeps the higher of both roles. Returns the project and the role;
 * undefined in the cases of `findOpenInvitation`, and for a deleted user.
 */
export async function acceptInvitation(
  database: DatabaseAccess,
  secretHash: Buffer,
  { membershipId, userId }: { readonly membershipId: string; readonly userId: string },
): Promise<{ projectId: string; role: ProjectRole } | undefined> {
  return await undoneWithoutMember(database, async (transaction) => {
    const found = await findOpenInvitation(transaction, secretHash);
    if (!found) return undefined;
    const { projectId } = found;
    // Locks the project first, as everywhere else, so that other changes of its members wait.
    await LOCK_PROJECT(transaction, projectId);
    const accepted = await ACCEPT_INVITATION(transaction, secretHash, userId);
    if (!accepted) return undefined;
    const { role } = accepted;
    const membership = { id: membershipId, userId, projectId, role };
    if (await insertMembership(transaction, membership, userId)) return { projectId, role };
    const member = await findMembership(transaction, { userId, projectId });
    if (!member) throw new NoMember();
    if (RANK[member.memberRole] >= RANK[role]) return { projectId, role: member.memberRole };
    await UPDATE_ROLE(transaction, projectId, userId, role, userId);
    return { projectId, role };
  });
}

class NoMember extends Error {}

async function undoneWithoutMember<Result>(
  database: DatabaseAccess,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await inTransaction(database, work);
  } catch (error) {
    if (error instanceof NoMember) return undefined;
    throw error;
  }
}

export const deleteExpiredInvitations = statement('delete_expired_invitations', () => [], rowCount)`
delete from invitations where expires_at <= now()`;
