/** Asks the agents of the sessions `$1` to stop, and tells the reconciler. */
export const STOP_AGENTS = `
update agents set desired = 'stopped', reason = coalesce(reason, 'session_closed')
where session_id = any ($1::uuid[]) and desired = 'running' and status <> 'Stopped'
returning pg_notify('agent_changed', id::text)`;

/**
 * That the session `s` is CLOSED and no live recorder holds it any more; after 9 s in any case: the housekeeping asks every
 * second, so it is 10 s at most.
 */
export const FINISHED = `s.status = 'CLOSED' and (s.closed_at <= now() - interval '9 s' or not exists (
  select from recording_assignments a join recorders r on r.id = a.recorder_id
  where a.session_id = s.id and r.heartbeat_at > now() - interval '15 s'))`;
