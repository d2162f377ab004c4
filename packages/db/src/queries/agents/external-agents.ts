import { EXTERNAL_ROLE } from '@session/contract';
import { roleText } from '../../columns/agent-role.ts';
import { hasRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';
import { KEPT_ENDS, NOW_MS } from './agent-restarts.ts';

/**
 * Returns the parts `stopped` and `stops_audited` of a statement that stop the external agents of `members`, whose programs
 * could otherwise stay in the rooms. `actor` is who stops them, for the audit trail.
 */
export function stopExternalText(members: string, actor: string): string {
  return `stopped as (
  update agents agent set
    desired = 'stopped',
    reason = coalesce(agent.reason, 'requested')
  from ${members} member, sessions session
  where agent.status <> 'Stopped'
    and agent.desired = 'running'
    and ${roleText('agent')} = '${EXTERNAL_ROLE}'
    and agent.created_by = member.user_id
    and session.id = agent.session_id
    and session.project_id = member.project_id
  returning agent.id, agent.session_id, ${roleText('agent')} as role, agent.reason, member.project_id, member.user_id,
    pg_notify('agent_changed', agent.id::text)
), stops_audited as (${auditText('agent.stopped', {
    project: 'project_id',
    actor,
    target: 'id',
    detail: `jsonb_build_object('role', role, 'sessionId', session_id, 'reason', reason)`,
    from: 'stopped',
  })}
)`;
}

/**
 * Makes a Running external agent Starting, because it left its room `leftMsAgo` ms ago. Returns false when it is not Running,
 * or was asked to stop.
 */
export const noteAgentLeft = statement(
  'note_agent_left',
  (id: string, leftMsAgo: number) => [id, leftMsAgo],
  hasRows,
)`
update agents agent set
  status = 'Starting',
  ends =
    case
      when jsonb_array_length(agent.ends) >= ${KEPT_ENDS} then agent.ends - 0
      else agent.ends
    end || jsonb_build_object('reason', 'left', 'endedAt', ${NOW_MS} - $2::int)
where agent.id = $1
  and agent.status = 'Running'
  and agent.desired = 'running'
returning pg_notify('agent_changed', agent.id::text)`;
