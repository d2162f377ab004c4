import { isoFromTextOrNull } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
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

type StartTimeParameters = [
  id: string,
  scheduledAt: string | null,
  programStartedAt: string | null,
];

export const NOTE_START_TIMES = statement<StartTimeParameters>(
  'note_start_times',
  `
update agents set
  scheduled_at = coalesce(scheduled_at, $2::timestamptz),
  program_started_at = coalesce(program_started_at, $3::timestamptz)
where id = $1`,
);

/** Stores the times of the steps of an agent's start; a time that is stored already stays. */
export async function noteStartTimes(
  database: DatabaseAccess,
  id: string,
  { scheduledAt, programStartedAt }: AgentStartTimes,
): Promise<void> {
  await NOTE_START_TIMES.run(database, id, scheduledAt, programStartedAt);
}

export const FIND_AGENT_TIMES = statement<[id: string, identity: string], StoredTimes>(
  'find_agent_times',
  `
select
  agent.scheduled_at::text as "scheduledAt",
  agent.program_started_at::text as "programStartedAt",
  agent.ends,
  (
    select message."timestamp"::text from messages message
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
where agent.id = $1`,
);

/** Returns the times of an agent whose identity in its room is `identity`, or undefined when there is no such agent. */
export async function findAgentTimes(
  database: DatabaseAccess,
  id: string,
  identity: string,
): Promise<AgentTimes | undefined> {
  const [times] = await FIND_AGENT_TIMES.run(database, id, identity);
  return (
    times && {
      scheduledAt: isoFromTextOrNull(times.scheduledAt),
      programStartedAt: isoFromTextOrNull(times.programStartedAt),
      firstWordsAt: isoFromTextOrNull(times.firstWordsAt),
      ends: endsOf(times.ends),
    }
  );
}

function endsOf(text: string): RestartTimes[] {
  const ends: StoredEnd[] = JSON.parse(text);
  return ends.map(({ reason, endedAt, restartedAt, joinedAt }) => ({
    reason,
    endedAt: new Date(endedAt).toISOString(),
    restartedAt: restartedAt === undefined ? null : new Date(restartedAt).toISOString(),
    joinedAt: joinedAt === undefined ? null : new Date(joinedAt).toISOString(),
  }));
}
