import type { ProjectRole } from '../../schema/memberships.ts';
import { statement } from '../../statement/statement.ts';
import { pageOfMember, type RowOfMember } from '../accounts/memberships.ts';
import { visibleText } from '../messages/latest-messages.ts';

export type WebhookStatus = 'active' | 'dead' | 'disabled' | 'failing';

export interface WebhookRow {
  readonly id: string;
  readonly projectId: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly content: 'full' | 'none';
  readonly status: WebhookStatus;
  readonly behindSessions: number;
  readonly behindSince: string | null;
  readonly failingSince: string | null;
  readonly lastFailure: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const MOST_BEHIND = 1000;

const COLUMNS = `
    hook.id, follower.project_id as "projectId", hook.url, hook.description, hook.events, hook.content,
    hook.created_by as "createdBy", hook.created_at as "createdAt", hook.updated_at as "updatedAt",
    case
      when follower.status = 'disabled' then 'disabled'
      when dead.failure is not null then 'dead'
      when follower.failing_since is not null or failing.since is not null then 'failing'
      else 'active'
    end as status,
    behind.sessions as "behindSessions", behind.since as "behindSince",
    least(follower.failing_since, failing.since, dead.since) as "failingSince",
    coalesce(failing.failure, dead.failure) as "lastFailure"`;

const PARTS = `
  cross join lateral (
    select count(*)::int as sessions, min(coalesce(
      least(
        (select seen_at from (${visibleText('followed.position', '1', 'true', 'followed.session_id')}) version),
        (select min(seen_at) from session_events
          where session_id = followed.session_id and seen_at > followed.position),
        (select created_at from sessions where id = followed.session_id and created_at > followed.position)
      ),
      -- The messages that waited were deleted.
      followed.wanted
    )) as since
    from (
      select session_id, position, wanted from follower_positions
      where follower_id = hook.id and wanted > position and dead_at is null
      limit ${MOST_BEHIND}
    ) followed
  ) behind
  left join lateral (
    select failing_since as since, failure from (
      select failing_since, failure from follower_positions
      where follower_id = hook.id and wanted > position and dead_at is null
      limit ${MOST_BEHIND}
    ) followed
    where failure is not null
    order by failing_since
    limit 1
  ) failing on true
  left join lateral (
    select failing_since as since, failure from follower_positions
    where follower_id = hook.id and dead_at is not null
    order by session_id
    limit 1
  ) dead on true`;

export const listWebhooks = statement(
  'list_webhooks',
  ({ projectId, userId }: { projectId: string; userId: string }) => [projectId, userId],
  (rows: RowOfMember<WebhookRow>[]) => {
    const page = pageOfMember<WebhookRow>(rows);
    return page && { memberRole: page.memberRole, webhooks: page.items };
  },
)`
select caller.role as "memberRole", page.*
from memberships caller
left join lateral (
  select ${COLUMNS}
  from followers follower
  join webhooks hook on hook.id = follower.id
  ${PARTS}
  where follower.project_id = $1 and follower.status <> 'deleted'
  order by hook.id desc
) page on true
where caller.project_id = $1 and caller.user_id = $2
order by page.id desc`;

export const findWebhook = statement(
  'find_webhook',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([row]: (WebhookRow & { readonly memberRole: ProjectRole })[]) =>
    row && { memberRole: row.memberRole, webhook: webhookOf(row) },
)`
select caller.role as "memberRole", ${COLUMNS}
from followers follower
join webhooks hook on hook.id = follower.id
join memberships caller on caller.project_id = follower.project_id and caller.user_id = $2
${PARTS}
where follower.id = $1 and follower.status <> 'deleted'`;

function webhookOf(row: WebhookRow & { readonly memberRole: ProjectRole }): WebhookRow {
  const { memberRole: _role, ...webhook } = row;
  return webhook;
}
