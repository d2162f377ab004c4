import { statement } from '../../statement/statement.ts';

/** The totals of all projects of an account. Only ACTIVE sessions count, and only agents that have not stopped. */
export interface AccountUsage {
  readonly projects: number;
  readonly sessions: number;
  readonly agents: number;
  readonly templates: number;
  readonly templateBytes: number;
}

/**
 * Returns a scalar query for a project's account: the OWNER of longest standing, or whoever took the project over. Null for
 * a deleted project.
 */
export function accountOf(project: string): string {
  return `(
    select owner.user_id from memberships owner
    where owner.project_id = ${project} and owner.role = 'OWNER'
    order by owner.created_at, owner.id
    limit 1
  )`;
}

export function projectsOf(account: string): string {
  return `
  select membership.project_id
  from memberships membership
  where membership.user_id = ${account}
    and membership.role = 'OWNER'
    and ${accountOf('membership.project_id')} = membership.user_id`;
}

function counted(kind: keyof AccountUsage, count: string): string {
  return `case when '${kind}' = any ($2::text[]) then (${count}) else 0 end as "${kind}"`;
}

function usageOf(projects: string): string {
  return `
with counted as materialized (${projects}
), template as materialized (
  select env.size_bytes from counted join env_templates env on env.project_id = counted.project_id
  union all
  select agent.size_bytes from counted join agent_templates agent on agent.project_id = counted.project_id
  union all
  select plan.size_bytes from counted join plan_templates plan on plan.project_id = counted.project_id
)
select
  ${counted('projects', 'select count(*)::int from counted')},
  ${counted(
    'sessions',
    `
    select count(*)::int
    from counted
    join sessions active on active.project_id = counted.project_id
    where active.status = 'ACTIVE' and active.deleted_at is null`,
  )},
  ${counted(
    'agents',
    `
    select count(*)::int
    from agents live
    where live.status <> 'Stopped'
      -- Not a join, for which PostgreSQL might read all sessions of the projects, closed ones too.
      and (select session.project_id from sessions session where session.id = live.session_id)
        = any (array(select project_id from counted))`,
  )},
  ${counted('templates', 'select count(*)::int from template')},
  ${counted('templateBytes', 'select coalesce(sum(size_bytes), 0)::float8 from template')}`;
}

export const findAccount = statement(
  'find_account',
  (projectId: string) => [projectId],
  ([found]: { readonly accountId: string | null }[]) => found?.accountId ?? null,
)`
select ${accountOf('$1')} as "accountId"`;

/** Returns the usage of an account: of the given kinds, and 0 for all others. */
export const findUsageOfAccount = statement(
  'find_usage_of_account',
  (accountId: string, kinds: readonly (keyof AccountUsage)[] = ALL_KINDS) => [accountId, kinds],
  ([usage = NOTHING]: AccountUsage[]) => usage,
)`${usageOf(projectsOf('$1'))}`;

export const findUsageOfProject = statement(
  'find_usage_of_project',
  (projectId: string, kinds: readonly (keyof AccountUsage)[] = ALL_KINDS) => [projectId, kinds],
  ([usage = NOTHING]: AccountUsage[]) => usage,
)`${usageOf('\n  select $1::uuid as project_id')}`;

const NOTHING = { projects: 0, sessions: 0, agents: 0, templates: 0, templateBytes: 0 } as const;

export const ALL_KINDS = ['projects', 'sessions', 'agents', 'templates', 'templateBytes'] as const;
