import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import type { StoredEnd } from './agent-restarts.ts';
import type { AgentStartTimes } from './agents.ts';

export interface AgentTimes extends AgentStartTimes {
  readonly firstWordsAt: string | null;
  readonly ends: readonly RestartTimes[];
}

export interface RestartTimes {
  readonly reason: string;
  readonly endedAt: string;
  readonly restartedAt: string | null;
  readonly joinedAt: string | null;
}

interface StoredTimes extends Omit<AgentTimes, 'ends'> {
  readonly ends: string;
}

export const noteStartTimes = statement(
  'note_start_times',
  (id: string, { scheduledAt, programStartedAt }: AgentStartTimes) => [
    id,
    scheduledAt,
    programStartedAt,
  ],
  nothing,
)`
update agents set
  scheduled_at = coalesce(scheduled_at, $2::timestamptz),
  program_started_at = coalesce(program_started_at, $3::timestamptz)
where id = $1`;

export const findAgentTimes = statement(
  'find_agent_times',
  (id: string, identity: string) => [id, identity],
  ([times]: StoredTimes[]) => times && { ...times, ends: endsOf(times.ends) },
)`
select
  agent.scheduled_at as "scheduledAt",
  agent.program_started_at as "programStartedAt",
  agent.ends,
  (
    select message."timestamp" from messages message
    where message.session_id = agent.session_id
      -- The bounds limit the search to the part of the history in which the agent was in the room.
      and message."timestamp" >= agent.created_at
      and message."timestamp" <= coalesce(agent.stopped_at, 'infinity') + interval '1 minute'
      and message.role = 'assistant'
      and message.kind in ('text', 'transcript')
      and message.metadata->'participant'->>'identity' = $2
    order by message."timestamp"
    limit 1
  ) as "firstWordsAt"
from agents agent
where agent.id = $1`;

function endsOf(text: string): RestartTimes[] {
  const ends: StoredEnd[] = JSON.parse(text);
  return ends.map(({ reason, endedAt, restartedAt, joinedAt }) => ({
    reason,
    endedAt: new Date(endedAt).toISOString(),
    restartedAt: restartedAt === undefined ? null : new Date(restartedAt).toISOString(),
    joinedAt: joinedAt === undefined ? null : new Date(joinedAt).toISOString(),
  }));
}
