import { sqlIsoOf } from '../../columns/iso-time.ts';
import { auditText } from '../operations/audit-events.ts';
import { MARK_CONFLICT } from './follower-marks.ts';

// A notice is sent to webhooks for what happened outside of sessions. It is stored among the events of sessions, under the
// id of its project or of the webhook that it is about. So it is sent, retried and listed like an event.

/**
 * Returns the text that marks the notices `told` for webhooks of their project. A webhook's position begins right before its
 * first notice, so it gets no earlier ones.
 */
function markText(told: string, webhook: string): string {
  return `
  insert into follower_positions as stored (follower_id, session_id, position, wanted)
  select follower.id, told.session_id, told.seen_at - interval '1 ms', told.seen_at
  from ${told} told
  join followers follower
    on follower.project_id = told.project_id and follower.kind = 'webhook' and ${webhook}
  order by follower.id
  ${MARK_CONFLICT}`;
}

/** Returns two parts of a statement that notify every webhook, even a disabled one, of the restore in the part `restore`. */
export function tellRestoreText(restore: string): string {
  return `
told as (
  insert into session_events (session_id, seen_at, project_id, type, data)
  select project.id, restore.floor_at + interval '1 ms', project.id, 'store.restored', jsonb_build_object(
    'restoredTo', ${sqlIsoOf('restore.restored_to')},
    'floorAt', ${sqlIsoOf('restore.floor_at')}
  )
  from ${restore} restore
  join projects project on project.deleted_at is null
  where exists (select from followers follower where follower.project_id = project.id)
  returning session_id, seen_at, project_id
), marked as (${markText('told', `follower.status <> 'deleted'`)}
)`;
}

/**
 * Returns two parts of a statement that notify the other active webhooks of a project of each dead webhook in the part
 * `dead` (`id`, `project_id`, `host`, `session_id`, `failure`).
 */
export function tellDeadText(dead: string): string {
  return `
told as (
  insert into session_events (session_id, seen_at, project_id, type, data)
  select
    dead.id,
    greatest(
      date_trunc('milliseconds', clock_timestamp()),
      (select max(floor_at) from restores) + interval '1 ms'
    ),
    dead.project_id,
    'webhook.dead',
    jsonb_build_object(
      'webhookId', dead.id, 'host', dead.host, 'sessionId', dead.session_id, 'failure', dead.failure
    )
  from ${dead} dead
  on conflict do nothing
  returning session_id, seen_at, project_id
), marked as (${markText('told', `follower.status = 'active' and follower.id <> told.session_id`)}
)`;
}

/**
 * Returns the condition that anything was given up before. Notices do not count, because two dead webhooks would otherwise
 * notify each other for ever.
 */
export function isGivenUp(webhook: string): string {
  return `exists (
    select from follower_positions given_up
    where given_up.follower_id = ${webhook}
      and given_up.dead_at is not null
      and not exists (select from followers other where other.id = given_up.session_id)
  )`;
}

export function auditDeadText(dead: string): string {
  return auditText('webhook.dead', {
    project: 'project_id',
    actor: 'null',
    target: 'id',
    detail: `jsonb_build_object('host', host, 'sessionId', session_id)`,
    from: dead,
  });
}
