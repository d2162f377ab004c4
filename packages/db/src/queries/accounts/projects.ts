import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';
import { type AccountLimits, changeWithin, type ExceededLimit } from './account-limits.ts';
import type { MembershipRow } from './membership-changes.ts';
import { HAS_ADDRESS } from './users.ts';

interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

interface ProjectSettings {
  readonly retentionDays: number | null;
  readonly searchLanguage: string | null;
}

interface ProjectWithMemberships extends ProjectRow, ProjectSettings {
  readonly memberRole: ProjectRole;
  readonly memberships: (MembershipRow & {
    readonly user: { readonly id: string; readonly email: string; readonly name: string };
  })[];
}

interface ProjectMember extends ProjectRow, ProjectSettings {
  readonly memberRole: ProjectRole;
  readonly membershipId: string;
  readonly userId: string;
  readonly role: ProjectRole;
  readonly email: string;
  readonly userName: string;
}

export const FIND_PROJECT = statement(
  'find_project',
  (id: string, userId: string) => [id, userId],
  allRows<ProjectMember>,
)`
select
  project.id,
  project.name,
  project.created_at as "createdAt",
  project.retention_days as "retentionDays",
  project.search_language as "searchLanguage",
  caller.role as "memberRole",
  membership.id as "membershipId",
  membership.user_id as "userId",
  membership.role,
  users.email,
  users.name as "userName"
from memberships caller
join projects project on project.id = caller.project_id
join memberships membership on membership.project_id = caller.project_id
join users on users.id = membership.user_id and users.kind = 'person'
where caller.project_id = $1
  and caller.user_id = $2
order by membership.id`;

export async function findProject(
  database: DatabaseAccess,
  { id, userId }: { id: string; userId: string },
): Promise<ProjectWithMemberships | undefined> {
  const members = await FIND_PROJECT(database, id, userId);
  const [first] = members;
  if (!first) return undefined;
  return {
    id,
    name: first.name,
    createdAt: first.createdAt,
    retentionDays: first.retentionDays,
    searchLanguage: first.searchLanguage,
    memberRole: first.memberRole,
    memberships: members.map(membershipRow),
  };
}

type ListedProject = { readonly id: null } | (ProjectRow & { readonly role: ProjectRole });

export const listProjects = statement(
  'list_projects',
  ({ userId, before, limit }: { userId: string; before: string; limit: number }) => [
    userId,
    before,
    limit,
  ],
  (rows: ListedProject[]) => {
    if (rows.length === 0) return undefined;
    return rows.filter((row) => row.id !== null);
  },
)`
select page.id, page.name, page.created_at as "createdAt", page.role
from users
left join (
  select project.id, project.name, project.created_at, membership.role
  from memberships membership
  join projects project on project.id = membership.project_id
  where membership.user_id = $1
    -- Project ids lie in the order of their creation, and (user_id, project_id) has an index.
    and membership.project_id < $2
  order by membership.project_id desc
  limit $3
) page on true
where users.id = $1
order by page.id desc`;

type InsertParameters = [id: string, name: string, membershipId: string, ownerId: string];

// One statement, so one transaction. Until it ends, the lock keeps the row of the owner.
export const INSERT_PROJECT = statement(
  'insert_project',
  (...parameters: InsertParameters) => parameters,
  nothing,
)`
with owner as (
  select id from users where id = $4 and ${HAS_ADDRESS} for key share
), project as (
  insert into projects (id, name)
  select $1::uuid, $2 from owner
  returning id
)
insert into memberships (id, user_id, project_id, role)
select $3::uuid, owner.id, project.id, 'OWNER' from owner, project`;

export async function insertProject(
  database: DatabaseAccess,
  project: { id: string; name: string; membershipId: string; ownerId: string },
  { projects = 0 }: Pick<AccountLimits, 'projects'> = {},
): Promise<'done' | ExceededLimit> {
  const { id, name, membershipId, ownerId } = project;
  return await changeWithin(database, { projects }, { userId: ownerId }, async (transaction) => {
    await INSERT_PROJECT(transaction, id, name, membershipId, ownerId);
    return 'done' as const;
  });
}

/** An undefined field stays as it is. With null, histories are kept for ever, or words are searched as they are. */
type ProjectUpdate = {
  readonly [Key in 'name' | keyof ProjectSettings]?:
    | (ProjectRow & ProjectSettings)[Key]
    | undefined;
};

const NEW_LANGUAGE = `nullif(coalesce($5, search_language), '')`;

/**
 * Changes the name, the retention or the search language of a project that is not deleted. In the statement, 0 days and an
 * empty language stand for null.
 */
export const updateProject = statement(
  'update_project',
  (id: string, { name, retentionDays, searchLanguage }: ProjectUpdate, by?: string) => {
    const days = retentionDays === undefined ? null : (retentionDays ?? 0);
    const language = searchLanguage === undefined ? null : (searchLanguage ?? '');
    return [id, name ?? null, days, by ?? null, language];
  },
  nothing,
)`
with changed as (
  update projects set
    name = coalesce($2, name),
    retention_days = nullif(coalesce($3, retention_days), 0),
    search_language = ${NEW_LANGUAGE},
    reindex_before = case when ${NEW_LANGUAGE} is distinct from search_language then 'infinity' else reindex_before end
  where id = $1 and deleted_at is null
  returning
    id, name, old.name as former_name,
    retention_days as days, old.retention_days as former_days,
    search_language as language, old.search_language as former_language
), renamed as (${auditText('project.renamed', {
  project: 'id',
  actor: '$4',
  target: 'id',
  detail: `jsonb_build_object('name', name, 'formerName', former_name)`,
  from: 'changed where name <> former_name',
})}
), limited as (${auditText('project.retention_changed', {
  project: 'id',
  actor: '$4',
  target: 'id',
  detail: `jsonb_build_object('days', days, 'formerDays', former_days)`,
  from: 'changed where days is distinct from former_days',
})}
), translated as (${auditText('project.search_language_changed', {
  project: 'id',
  actor: '$4',
  target: 'id',
  detail: `jsonb_build_object('language', language, 'formerLanguage', former_language)`,
  from: 'changed where language is distinct from former_language',
})}
)
select from changed`;

function membershipRow(member: ProjectMember): ProjectWithMemberships['memberships'][number] {
  return {
    id: member.membershipId,
    userId: member.userId,
    projectId: member.id,
    role: member.role,
    user: { id: member.userId, email: member.email, name: member.userName },
  };
}
