import type { AuditAction } from '@session/contract';
import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export const WALKED_EVENTS = 5000;

interface AuditText {
  readonly project: string;
  readonly actor: string;
  readonly target: string;
  readonly detail?: string;
  readonly from: string;
}

/**
 * Returns the text of an insertion for the statement that causes the event: one event for each row of `from`. All values are
 * SQL; `detail` is a flat object without secrets and words of conversations. Lock the project before rows that are deleted
 * with it: its deletion locks in this order, and the insertion locks the project's key.
 */
export function auditText(
  action: AuditAction | `$${number}`,
  { project, actor, target, detail = `'{}'`, from }: AuditText,
): string {
  const actionText = action.startsWith('$') ? action : `'${action}'`;
  return `
  insert into audit_events (id, project_id, actor, action, target, detail)
  select uuidv7(), ${project}, ${actor}::uuid, ${actionText}, (${target})::text, ${detail}
  from ${from}`;
}

export interface AuditEventRow {
  readonly id: string;
  readonly at: string;
  readonly actor: {
    readonly id: string;
    readonly name: string;
    readonly kind: 'person' | 'api_key';
  } | null;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** `nextCursor`: where the next page begins, perhaps after fewer events than `limit`; null on the last page. */
export interface AuditPage {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly events: AuditEventRow[];
  readonly nextCursor: string | null;
}

type ListParameters = [
  projectId: string,
  userId: string,
  cursor: string | null,
  limit: number,
  action: string | null,
  actor: string | null,
];

type ListedEvent = Pick<AuditPage, 'memberRole' | 'isCursorKnown'> &
  (
    | { readonly id: null }
    | (Pick<AuditEventRow, 'id' | 'at' | 'action' | 'target'> & {
        readonly isMatch: boolean;
        readonly place: string;
        readonly detail: string;
        readonly actorId: string | null;
        readonly actorName: string;
        readonly actorKind: 'person' | 'api_key';
      })
  );

// Walks down from the cursor, and stops at the last event of the page. If the walk is cut short, its last event is
// returned too.
export const LIST_AUDIT_EVENTS = statement(
  'list_audit_events',
  (...parameters: ListParameters) => parameters,
  allRows<ListedEvent>,
)`
select
  caller.role as "memberRole",
  $3::uuid is null or cursor_event.id is not null as "isCursorKnown",
  page.id, page.at, page.action, page.target, page.place, page.is_match as "isMatch",
  case
    when account.name is null then page.detail
    else page.detail || jsonb_build_object('name', account.name)
  end as detail,
  actor.id as "actorId",
  actor.name as "actorName",
  case actor.kind when 'service' then 'api_key' else actor.kind end as "actorKind"
from memberships caller
left join audit_events cursor_event on cursor_event.id = $3 and cursor_event.project_id = $1
left join lateral (
  select walked.*
  from (
    select
      event.*,
      ($5::text is null or event.action = $5) and ($6::uuid is null or event.actor = $6) as is_match,
      row_number() over (order by event.at desc, event.id desc) as place
    from (
      select event.*
      from audit_events event
      where event.project_id = $1
        and (event.at, event.id) < (
          coalesce(cursor_event.at, 'infinity'),
          coalesce(cursor_event.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        )
      order by event.at desc, event.id desc
      limit (select ${WALKED_EVENTS})
    ) event
  ) walked
  where walked.is_match or walked.place = ${WALKED_EVENTS}
  order by walked.at desc, walked.id desc
  limit $4
) page on true
left join users actor on actor.id = page.actor
-- The name of an account is not stored with the event: it may change, and a deleted account leaves none behind.
left join users account on account.id =
  case when page.action ~ '^(member|api_key|end_user)\\.' then page.target::uuid end
where caller.project_id = $1
  and caller.user_id = $2
order by page.at desc, page.id desc`;

/**
 * Returns up to `limit` audit events, the newest first, after `cursor`, of one action or actor, or both; undefined when
 * the user is not a member.
 */
export async function listAuditEvents(
  database: DatabaseAccess,
  page: {
    readonly projectId: string;
    readonly userId: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly action?: string | undefined;
    readonly actor?: string | undefined;
  },
): Promise<AuditPage | undefined> {
  const { projectId, userId, limit, cursor = null, action = null, actor = null } = page;
  // One row more than the limit is read, which shows whether another page follows.
  const parameters = [projectId, userId, cursor, limit + 1, action, actor] as const;
  const rows = await LIST_AUDIT_EVENTS(database, ...parameters);
  const [first] = rows;
  if (!first) return undefined;
  const { memberRole, isCursorKnown } = first;
  const walked = rows.flatMap((row) => (row.id === null ? [] : [row]));
  const found = walked.filter(({ isMatch }) => isMatch).map(eventOf);
  const events = found.slice(0, limit);
  const last = walked.at(-1);
  const end = Number(last?.place) === WALKED_EVENTS ? (last?.id ?? null) : null;
  const nextCursor = found.length > limit ? (events.at(-1)?.id ?? null) : end;
  return { memberRole, isCursorKnown, events, nextCursor };
}

function eventOf(row: Exclude<ListedEvent, { id: null }>): AuditEventRow {
  const { id, at, action, target, detail, actorId, actorName: name, actorKind: kind } = row;
  const actor = actorId === null ? null : { id: actorId, name, kind };
  return { id, at, actor, action, target, detail: JSON.parse(detail) };
}

const KEPT_FOR = `interval '400 days'`;

/**
 * Deletes up to `limit` audit events that are older than 400 days, and returns their number. A limit in a subquery holds only
 * if the subquery runs once. PostgreSQL does not promise that unless the subquery is materialized.
 */
export const deleteOldAuditEvents = statement(
  'delete_old_audit_events',
  (limit: number) => [limit],
  rowCount,
)`
with expired as materialized (
  select id from audit_events
  where at <= now() - ${KEPT_FOR}
  order by at
  limit $1
  for update skip locked
)
delete from audit_events event
using expired
where event.id = expired.id`;

// An array, with which PostgreSQL reads the index. For a join, it reads the whole table when a project has many events.
export const deleteAuditEventsOfProjects = statement(
  'delete_audit_events_of_projects',
  (limit: number) => [limit],
  rowCount,
)`
delete from audit_events where id = any (array(
  select event.id from projects project
  join audit_events event on event.project_id = project.id
  where project.deleted_at is not null
  limit $1
))`;
