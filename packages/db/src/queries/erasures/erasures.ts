import type { ProjectRole } from '../../schema/memberships.ts';
import { hasRows, rowCount } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';
import { isAlive } from '../recorder-liveness.ts';

/**
 * What a request erases: a session; messages of a session, or all of one participant; or everything of an end user in the
 * project.
 * - `identity`: a participant's. All stays of a user are one sender.
 */
export interface ErasureScope {
  readonly sessionId: string | null;
  readonly messageIds: readonly string[] | null;
  readonly identity: string | null;
  readonly userId: string | null;
}

export interface RequestedErasure extends ErasureScope {
  readonly id: string;
  readonly projectId: string;
  readonly requestedBy: string;
}

/**
 * - `status`: `running` until the words are gone from the database, `waiting` until all living recorders have dropped what
 *   they hold.
 * - `webhooks`: for each webhook, whether it has sent all versions of what was erased, or left them out by its types.
 * - `digest`: sha256 over the sorted ids of the erased messages, joined by commas; null until they are known.
 */
export interface ErasureRow extends RequestedErasure {
  readonly requestedAt: string;
  readonly status: 'running' | 'waiting' | 'done';
  readonly counts: ErasureCounts;
  readonly digest: string | null;
  readonly recorders: readonly { readonly id: string; readonly acknowledged: boolean }[];
  readonly webhooks: readonly { readonly id: string; readonly told: boolean }[];
  readonly erasedAt: string | null;
  readonly finishedAt: string | null;
}

export interface ErasureCounts {
  readonly sessions: number;
  readonly messages: number;
  readonly searchRows: number;
  readonly deliveries: number;
  readonly agentLogs: number;
}

const NOTHING: ErasureCounts = {
  sessions: 0,
  messages: 0,
  searchRows: 0,
  deliveries: 0,
  agentLogs: 0,
};

/** How long after a request a writer may still store what it received before. */
export const AFTER_REQUEST = `interval '2 s'`;

/** With a limit, because a plan that is made for any number of heads would read the whole table. */
function headOf(sessionId: string): string {
  return `select last_at from session_heads where session_id = ${sessionId} limit 1`;
}

/**
 * Until when the words of a person are erased: now and `AFTER_REQUEST`, or later if a session is ahead of the
 * database's clock by more than the usual second. In that case the clock was set back, and earlier words have later
 * times than now. If no session of the end user is known, the ACTIVE ones of the project count.
 */
const UNTIL = `greatest(
    now() + ${AFTER_REQUEST},
    interval '1 s' + case
      when $3::uuid is not null then (select head.last_at from session_heads head where head.session_id = $3)
      else coalesce(
        (
          select max(head.last_at)
          from session_end_users participant
          cross join lateral (${headOf('participant.session_id')}) head
          where participant.project_id = $2 and participant.user_id = $6
        ),
        (
          select max(head.last_at)
          from sessions session
          cross join lateral (${headOf('session.id')}) head
          where session.project_id = $2 and session.status = 'ACTIVE' and session.deleted_at is null
        )
      )
    end
  )`;

/**
 * Stores a request to erase. Returns false when the session, or one of the messages, is not in the project. Must come before
 * `forgetEndUser`, which deletes the list of the end user's sessions.
 */
export const insertErasure = statement(
  'insert_erasure',
  ({ id, projectId, sessionId, messageIds, identity, userId, requestedBy }: RequestedErasure) => [
    id,
    projectId,
    sessionId,
    messageIds,
    identity,
    userId,
    requestedBy,
  ],
  hasRows,
)`
with requested as (
  insert into erasures (id, project_id, session_id, message_ids, identity, user_id, requested_by, counts)
  select $1::uuid, project.id, $3::uuid, $4::uuid[], $5, $6::uuid, $7::uuid, jsonb_build_object('until', ${UNTIL})
  from projects project
  where project.id = $2
    and project.deleted_at is null
    and ($3::uuid is null or exists (
      select from sessions session
      where session.id = $3 and session.project_id = project.id and session.deleted_at is null
    ))
    and not exists (
      select from unnest($4::uuid[]) as asked (id)
      where not exists (
        select from messages message where message.session_id = $3 and message.id = asked.id
      )
    )
  returning id, project_id, session_id, message_ids, user_id, requested_by
), audited as (${auditText('erasure.requested', {
  project: 'project_id',
  actor: 'requested_by',
  target: 'id',
  // Without the identity, because the identity of an imported message contains a name.
  detail: `jsonb_strip_nulls(jsonb_build_object(
      'sessionId', session_id, 'messages', cardinality(message_ids), 'userId', user_id))`,
  from: 'requested',
})}
)
select 1 from requested`;

export const REQUEST_COLUMNS = `
  erasure.id,
  erasure.project_id as "projectId",
  erasure.session_id as "sessionId",
  erasure.message_ids as "messageIds",
  erasure.identity,
  erasure.user_id as "userId",
  erasure.requested_by as "requestedBy",
  erasure.requested_at as "requestedAt"`;

/**
 * Returns the condition that the recorder has not acknowledged the row `erasure`. Written as a count, which PostgreSQL computes
 * for each erasure by the key, because with `not exists` it would join all acknowledgements.
 */
export function isUnacknowledged(recorder: string): string {
  return `(
      select count(*) from erasure_acknowledgements acknowledged
      where acknowledged.erasure_id = erasure.id and acknowledged.recorder_id = ${recorder}
    ) = 0`;
}

const COLUMNS = `${REQUEST_COLUMNS},
  erasure.status,
  erasure.counts,
  erasure.digest,
  erasure.erased_at as "erasedAt",
  erasure.finished_at as "finishedAt",
  recorder.list as recorders,
  webhook.list as webhooks`;

const RECORDERS = `
cross join lateral (
  select coalesce(json_agg(json_build_object('id', one.id, 'acknowledged', one.has) order by one.id), '[]') as list
  from (
    select acknowledged.recorder_id as id, true as has
    from erasure_acknowledgements acknowledged
    where acknowledged.erasure_id = erasure.id
    union all
    select living.id, false
    from recorders living
    where erasure.status <> 'done'
      and ${isAlive('living')}
      and ${isUnacknowledged('living.id')}
  ) one
) recorder`;

/**
 * How long a version may be unknown to its followers. Once a minute, the leader marks each session whose clock has moved
 * within the last week (`markUnnamedSessions`), for versions that no notification named. An erasure moves the clock to the
 * present.
 */
const UNKNOWN_MS = 120_000;

/** A tombstone's time is at most a second ahead of the clock. */
const BEHIND_ERASURE = `
          behind.follower_id = follower.id
            and behind.wanted > behind.position
            and behind.position < erasure.finished_at + interval '1 s'
            and (erasure.session_id is null or behind.session_id = erasure.session_id)`;

const WEBHOOKS = `
cross join lateral (
  select coalesce(json_agg(json_build_object('id', follower.id, 'told',
    follower.status = 'active' and coalesce(erasure.finished_at < now() - interval '${UNKNOWN_MS} ms', false)
      and not exists (select from follower_positions behind where ${BEHIND_ERASURE} and behind.dead_at is null)
      and not exists (select from follower_positions behind where ${BEHIND_ERASURE} and behind.dead_at is not null)
  ) order by follower.id), '[]') as list
  from followers follower
  where follower.project_id = erasure.project_id and follower.kind = 'webhook' and follower.status <> 'deleted'
) webhook`;

type RawErasure = Omit<ErasureRow, 'counts'> & { readonly counts: string };

type FoundErasure = RawErasure & { readonly memberRole: ProjectRole };

export const findErasure = statement(
  'find_erasure',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([row]: FoundErasure[]) => row && { memberRole: row.memberRole, erasure: erasureOf(row) },
)`
select caller.role as "memberRole", ${COLUMNS}
from erasures erasure
join memberships caller on caller.project_id = erasure.project_id and caller.user_id = $2
${RECORDERS}
${WEBHOOKS}
where erasure.id = $1`;

type ListedErasure = { readonly memberRole: ProjectRole; readonly isCursorKnown: boolean } & (
  | { readonly id: null }
  | RawErasure
);

export const listErasures = statement(
  'list_erasures',
  (page: {
    readonly projectId: string;
    readonly userId: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
  }) => [page.projectId, page.userId, page.cursor ?? null, page.limit],
  (rows: ListedErasure[]) => {
    const [first] = rows;
    if (!first) return undefined;
    const { memberRole, isCursorKnown } = first;
    const erasures = rows.flatMap((row) => (row.id === null ? [] : erasureOf(row)));
    return { memberRole, isCursorKnown, erasures };
  },
)`
select
  caller.role as "memberRole",
  $3::uuid is null or cursor_erasure.id is not null as "isCursorKnown",
  page.*
from memberships caller
left join erasures cursor_erasure on cursor_erasure.id = $3 and cursor_erasure.project_id = $1
left join lateral (
  select ${COLUMNS}
  from (
    select * from erasures listed
    where listed.project_id = $1
      and (listed.requested_at, listed.id) < (
        coalesce(cursor_erasure.requested_at, 'infinity'),
        coalesce(cursor_erasure.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by listed.requested_at desc, listed.id desc
    limit $4
  ) erasure
  ${RECORDERS}
  ${WEBHOOKS}
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page."requestedAt" desc, page.id desc`;

export const deleteErasuresOfProjects = statement(
  'delete_erasures_of_projects',
  (limit: number) => [limit],
  rowCount,
)`
delete from erasures where id = any (array(
  select erasure.id from projects project
  join erasures erasure on erasure.project_id = project.id
  where project.deleted_at is not null
    and not exists (select from sessions session where session.project_id = project.id)
  limit $1
))`;

function erasureOf(
  row: RawErasure & { readonly memberRole: ProjectRole; readonly isCursorKnown?: boolean },
): ErasureRow {
  const { memberRole: _role, isCursorKnown: _isKnown, ...erasure } = row;
  const { sessions, messages, searchRows, deliveries, agentLogs } = {
    ...NOTHING,
    ...JSON.parse(row.counts),
  };
  return { ...erasure, counts: { sessions, messages, searchRows, deliveries, agentLogs } };
}
