import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

interface EndUserRow {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly createdAt: string;
}

type ListedEndUser = { readonly memberRole: ProjectRole; readonly isCursorKnown: boolean } & (
  | { readonly id: null }
  | EndUserRow
);

/**
 * Returns the text of a list. Only end users have an external id, so a search by id needs no condition on the kind.
 * With that condition, PostgreSQL might use the list's index even for a row that is found by its id. An erased end user
 * is not listed, but remains a cursor, because a client may erase everybody on a page before it requests the next one.
 */
function listText(condition: string, limit: string): string {
  return `
select
  caller.role as "memberRole",
  $3::uuid is null or cursor_user.id is not null as "isCursorKnown",
  page.id, page.external_id as "externalId", page.name, page.created_at as "createdAt"
from memberships caller
left join users cursor_user
  on cursor_user.id = $3 and cursor_user.project_id = $1
left join lateral (
  select end_user.id, end_user.external_id, end_user.name, end_user.created_at
  from users end_user
  where end_user.project_id = $1
    and ${condition}
  order by end_user.created_at desc, end_user.id desc
  limit ${limit}
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page.created_at desc, page.id desc`;
}

export const LIST_END_USERS = statement(
  'list_end_users',
  (projectId: string, userId: string, cursor: string | null, limit: number) => [
    projectId,
    userId,
    cursor,
    limit,
  ],
  allRows<ListedEndUser>,
)`${listText(
  `end_user.kind = 'end_user' and end_user.external_id is not null and (end_user.created_at, end_user.id) < (
      coalesce(cursor_user.created_at, 'infinity'),
      coalesce(cursor_user.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )`,
  '$4',
)}`;

export const FIND_END_USER = statement(
  'find_end_user',
  (projectId: string, userId: string, cursor: null, id: string) => [projectId, userId, cursor, id],
  allRows<ListedEndUser>,
)`${listText('end_user.id = $4 and end_user.external_id is not null', '1')}`;

export interface EndUserPage {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly endUsers: EndUserRow[];
}

/**
 * Returns up to `limit` end users, the newest first, after `cursor`; with `id` only that one; undefined for a caller who is
 * not a member.
 */
export async function listEndUsers(
  database: DatabaseAccess,
  page: {
    projectId: string;
    userId: string;
    limit: number;
    cursor?: string | undefined;
    id?: string | undefined;
  },
): Promise<EndUserPage | undefined> {
  const { projectId, userId, limit, cursor = null, id } = page;
  const rows = await (id === undefined
    ? LIST_END_USERS(database, projectId, userId, cursor, limit)
    : FIND_END_USER(database, projectId, userId, null, id));
  const [first] = rows;
  if (!first) return undefined;
  const { memberRole, isCursorKnown } = first;
  const endUsers = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { id: endUserId, externalId, name, createdAt } = row;
    return { id: endUserId, externalId, name, createdAt };
  });
  return { memberRole, isCursorKnown, endUsers };
}
