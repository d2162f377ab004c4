import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { KEPT_ENDS, NOW_MS } from './agent-restarts.ts';

export const NOTE_AGENT_LEFT = statement<[id: string, leftMsAgo: number]>(
  'note_agent_left',
  `
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
returning pg_notify('agent_changed', agent.id::text)`,
);

/**
 * Makes a Running external agent Starting again, because it left its room `leftMsAgo` milliseconds ago. Returns false, and
 * changes nothing, when it is not Running, or was asked to stop.
 */
export async function noteAgentLeft(
  database: DatabaseAccess,
  id: string,
  leftMsAgo: number,
): Promise<boolean> {
  return (await NOTE_AGENT_LEFT.run(database, id, leftMsAgo)).length === 1;
}
