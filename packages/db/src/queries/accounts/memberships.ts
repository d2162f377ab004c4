import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, firstRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { MembershipRow } from './membership-changes.ts';

export interface MemberRow extends MembershipRow {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
}

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** A row of a list with the caller's role. If the list has no item, its only row has the id null. */
export type RowOfMember<Item> = { readonly memberRole: ProjectRole } & (
  | { readonly id: null }
  | Item
);

/** Returns the caller's role and the items of a list; undefined without rows, when the caller is not a member. */
export function pageOfMember<Item extends { readonly id: string }>(
  rows: readonly RowOfMember<Item>[],
) {
  const [first] = rows;
  if (!first) return undefined;
  const items = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { memberRole: _role, ...item } = row;
    return [item];
  });
  return { memberRole: first.memberRole, items };
}

/** Returns the user's role in the project; undefined for unknown, deleted and foreign projects alike. */
export const findMembership = statement(
  'find_membership',
  ({ userId, projectId }: { userId: string; projectId: string }) => [userId, projectId],
  firstRow<{ memberRole: ProjectRole }>,
)`
select role as "memberRole" from memberships where user_id = $1 and project_id = $2`;

type ListParameters = [
  projectId: string,
  callerId: string,
  after: string,
  limit: number,
  memberId: string | null,
];

interface ListedMember {
  readonly id: string;
  readonly userId: string;
  readonly role: ProjectRole;
  readonly email: string;
  readonly name: string;
}

export const LIST_MEMBERS = statement(
  'list_members',
  (...parameters: ListParameters) => parameters,
  allRows<RowOfMember<ListedMember>>,
)`
select caller.role as "memberRole", page.id, page.user_id as "userId", page.role, page.email, page.name
from memberships caller
left join lateral (
  select member.id, member.user_id, member.role, users.email, users.name
  from memberships member
  join users on users.id = member.user_id
  where member.project_id = $1
    and users.kind = 'person'
    and member.id > $3
    and ($5::uuid is null or member.user_id = $5)
  order by member.id
  limit $4
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page.id`;

export async function findMember(
  database: DatabaseAccess,
  { projectId, userId, memberId }: { userId: string; projectId: string; memberId: string },
): Promise<{ memberRole: ProjectRole; member: MemberRow | undefined } | undefined> {
  const rows = await LIST_MEMBERS(database, projectId, userId, LEAST_ID, 1, memberId);
  const found = membersOf(projectId, rows);
  return found && { memberRole: found.memberRole, member: found.members[0] };
}

export async function listMembers(
  database: DatabaseAccess,
  page: {
    userId: string;
    projectId: string;
    after: string;
    limit: number;
  },
): Promise<{ memberRole: ProjectRole; members: MemberRow[] } | undefined> {
  const { projectId, userId, after, limit } = page;
  return membersOf(projectId, await LIST_MEMBERS(database, projectId, userId, after, limit, null));
}

function membersOf(projectId: string, rows: readonly RowOfMember<ListedMember>[]) {
  const page = pageOfMember<ListedMember>(rows);
  if (!page) return undefined;
  const members = page.items.map(({ id, userId, role, email, name }) => ({
    id,
    userId,
    projectId,
    role,
    user: { id: userId, email, name },
  }));
  return { memberRole: page.memberRole, members };
}
