import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import type { AgentStartTimes } from './agents.ts';

/** What the rows of an agent and its session say of its life, beside what an agent's row gives. Times are ISO 8601, UTC, milliseconds. */
export interface AgentTimes extends AgentStartTimes {
  /** When it first said something that is in the history. */
  readonly firstWordsAt: string | null;
}

export interface AgentTimelineQueries {
  /** Notes when steps of an agent's start were; what is known already stays. */
  noteStartTimes(id: string, times: AgentStartTimes): Promise<void>;
  /** Gives the times of an agent that is called `identity` in its room; undefined when there is no such agent. */
  findAgentTimes(id: string, identity: string): Promise<AgentTimes | undefined>;
}

const NOTE = `
update agents set scheduled_at = coalesce(scheduled_at, $2::timestamptz),
  program_started_at = coalesce(program_started_at, $3::timestamptz)
where id = $1`;

// The bounds keep it to the part of the history in which it was there.
const FIND = `
select a.scheduled_at::text as "scheduledAt", a.program_started_at::text as "programStartedAt",
  (select m."timestamp"::text from messages m
   where m.session_id = a.session_id and m."timestamp" >= a.created_at
     and m."timestamp" <= coalesce(a.stopped_at, 'infinity') + interval '1 minute'
     and m.role = 'assistant' and m.kind in ('text', 'transcript')
     and m.metadata->'participant'->>'identity' = $2
   order by m."timestamp" limit 1) as "firstWordsAt"
from agents a where a.id = $1`;

/** Prepares the statements that an agent's timeline needs, once for `database`. */
export function prepareAgentTimelineQueries({ sql }: Pick<Database, 'sql'>): AgentTimelineQueries {
  return {
    async noteStartTimes(id, { scheduledAt, programStartedAt }) {
      await sql.unsafe(NOTE, [id, scheduledAt, programStartedAt], { prepare: true });
    },
    async findAgentTimes(id, identity) {
      const [row] = await sql.unsafe<AgentTimes[]>(FIND, [id, identity], { prepare: true });
      return (
        row && {
          scheduledAt: isoOrNull(row.scheduledAt),
          programStartedAt: isoOrNull(row.programStartedAt),
          firstWordsAt: isoOrNull(row.firstWordsAt),
        }
      );
    },
  };
}

function isoOrNull(text: string | null): string | null {
  return text === null ? null : isoFromText(text);
}
