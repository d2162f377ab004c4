import type { sessions } from '../../schema/sessions.ts';
import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { auditText } from '../operations/audit-events.ts';
import { isAlive } from '../recorder-liveness.ts';
import { eventText, nextTime } from './session-events.ts';

export type CloseReason = NonNullable<(typeof sessions.$inferSelect)['closeReason']> | 'agent';

export function closeReasonOf(session: string): string {
  return `case when ${session}.closed_by_agent then 'agent' else ${session}.close_reason end`;
}

export const LOCK_ACTIVE_SESSION = statement('lock_active_session', (id: string) => [id], hasRows)`
select
from session_heads head
join sessions session on session.id = head.session_id
where head.session_id = $1
  and session.status = 'ACTIVE'
for no key update of head, session`;

// Closes at a time of the session's clock, so the close is later than each message that was stored before it.
export const CLOSE_SESSION = statement(
  'close_session',
  (id: string, reason: CloseReason, by: string | null) => [id, reason, by],
  nothing,
)`
with moved as (
  update session_heads head set last_at = ${nextTime('head')}
  where head.session_id = $1
  returning head.last_at
), closed as (
  update sessions set
    status = 'CLOSED',
    close_reason = case when $2::text = 'agent' then 'user' else $2::text end,
    closed_by_agent = $2::text = 'agent',
    closed_at = moved.last_at,
    updated_at = moved.last_at
  from moved
  where id = $1
  returning id, project_id, $2::text as close_reason, closed_at
), noted as (${eventText("'session.closed'", {
  session: 'id',
  at: 'closed_at',
  project: 'project_id',
  data: `jsonb_build_object('reason', close_reason)`,
  from: 'closed',
})}
), audited as (${auditText('session.closed', {
  project: 'project_id',
  actor: '$3',
  target: 'id',
  detail: `jsonb_build_object('reason', close_reason)`,
  from: 'closed',
})}
)
select pg_notify('session_changed', id::text), pg_notify('messages_stored', id::text) from closed`;

export const STOP_AGENTS_OF_SESSIONS = statement(
  'stop_agents_of_sessions',
  (sessionIds: readonly string[]) => [sessionIds],
  nothing,
)`
update agents set
  desired = 'stopped',
  reason = coalesce(reason, 'session_closed')
where session_id = any ($1::uuid[])
  and desired = 'running'
  and status <> 'Stopped'
returning pg_notify('agent_changed', id::text)`;

/**
 * Recorders have this long to leave the room of a CLOSED session. The housekeeping checks once a second, so at most 10 s
 * pass.
 */
const LEAVE_TIME = `interval '9 s'`;

export function isFinished(session: string): string {
  return `(
  ${session}.status = 'CLOSED'
  and (
    ${session}.closed_at <= now() - ${LEAVE_TIME}
    or not exists (
      select from recording_assignments slot
      join recorders recorder on recorder.id = slot.recorder_id
      where slot.session_id = ${session}.id and ${isAlive('recorder')}
    )
  )
)`;
}

/**
 * Closes an ACTIVE session, asks its agents to stop, and wakes recorders and reconciler. Returns false when it is CLOSED or
 * deleted. Without `by`, the service closes it. Several statements: each must see what was committed while the one before it
 * waited for its lock, on the head or on the session.
 */
export async function closeSession(
  database: DatabaseAccess,
  id: string,
  reason: CloseReason,
  by?: string,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    if (!(await LOCK_ACTIVE_SESSION(transaction, id))) return false;
    await CLOSE_SESSION(transaction, id, reason, by ?? null);
    await STOP_AGENTS_OF_SESSIONS(transaction, [id]);
    return true;
  });
}
