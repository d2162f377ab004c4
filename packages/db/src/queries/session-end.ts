import { statement } from '../statement.ts';
import { isAlive } from './recorder-liveness.ts';

/** Asks the agents of the sessions to stop, and wakes the reconciler. */
export const STOP_AGENTS_OF_SESSIONS = statement<[sessionIds: readonly string[]]>(
  'stop_agents_of_sessions',
  `
update agents set
  desired = 'stopped',
  reason = coalesce(reason, 'session_closed')
where session_id = any ($1::uuid[])
  and desired = 'running'
  and status <> 'Stopped'
returning pg_notify('agent_changed', id::text)`,
);

/** Recorders get this long to leave the room of a CLOSED session. The housekeeping looks once a second, so 10 s pass at most. */
const LEAVE_TIME = `interval '9 s'`;

/** The condition that the session is CLOSED, and that no live recorder holds a slot of it or `LEAVE_TIME` has passed since. */
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
