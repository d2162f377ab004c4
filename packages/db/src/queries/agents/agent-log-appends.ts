import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export interface AgentLogLine {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly line: string;
}

export interface AgentLogEnd {
  readonly nextLine: number;
  readonly nextByte: number;
  readonly lastAt: number | null;
}

const KEPT_LINES = 5000;
const KEPT_BYTES = 1_048_576;

export function timeFromMicroseconds(parameter: string): string {
  return `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;
}

/**
 * A line that is stored this long after it was printed has waited. An erasure finds lines that are stored sooner
 * itself, because it looks again after 3 s.
 */
const LATE = `interval '2 s'`;

const FIRST_AT = timeFromMicroseconds('($7::bigint[])[1]');

type AppendParameters = [
  agentId: string,
  nextLine: number,
  nextByte: number,
  byteCount: number,
  lastAt: number,
  lines: readonly string[],
  times: readonly number[],
];

// Lines that have waited may contain words that were erased meanwhile. Other appends do not read erasures.
export const APPEND_LOG = statement(
  'append_log',
  (...parameters: AppendParameters) => parameters,
  allRows<{ nextLine: string; nextByte: string }>,
)`
with erased as materialized (
  select max(coalesce(erasure.finished_at, now())) as until
  from agents agent
  join sessions session on session.id = agent.session_id
  join erasures erasure
    on erasure.project_id = session.project_id
    and (erasure.session_id is null or erasure.session_id = session.id)
    and coalesce(erasure.finished_at, now()) >= ${FIRST_AT}
  where ${FIRST_AT} < now() - ${LATE}
    and agent.id = $1
    and exists (
      select from messages message
      where message.session_id = session.id
        and message.completed_at >= erasure.requested_at
        and message.erased_at is not null
        and message.metadata #>> '{erased,erasureId}' = erasure.id::text
    )
), added as (
  insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
  select
    $1::uuid, $2::bigint, $3::bigint, cardinality($6::text[]), $4::int, ${timeFromMicroseconds('$5')}, $7::bigint[],
    case
      when erased.until is null then $6::text[]
      else array(
        select case when ${timeFromMicroseconds('printed.at')} > erased.until then printed.line else '' end
        from unnest($6::text[], $7::bigint[]) with ordinality as printed (line, at, place)
        order by printed.place
      )
    end
  from erased
  -- Output that a crash of PostgreSQL loses is not worth a wait for the disk.
  where set_config('synchronous_commit', 'off', true) is not null
  on conflict (agent_id, first_line) do nothing
  returning first_line + line_count as next_line, first_byte + byte_count as next_byte
), trimmed as (
  delete from agent_logs chunk using added
  where chunk.agent_id = $1
    and (
      chunk.first_line + chunk.line_count <= added.next_line - ${KEPT_LINES}
      or chunk.first_byte + chunk.byte_count <= added.next_byte - ${KEPT_BYTES}
    )
)
select next_line as "nextLine", next_byte as "nextByte" from added`;

export const findLogEnd = statement(
  'find_log_end',
  (agentId: string) => [agentId],
  ([end]: Record<'nextLine' | 'nextByte' | 'lastAt', string>[]) => {
    if (!end) return { nextLine: 0, nextByte: 0, lastAt: null };
    const { nextLine, nextByte, lastAt } = end;
    return { nextLine: Number(nextLine), nextByte: Number(nextByte), lastAt: Number(lastAt) };
  },
)`
select
  first_line + line_count as "nextLine",
  first_byte + byte_count as "nextByte",
  times[line_count] as "lastAt"
from agent_logs
where agent_id = $1
order by first_line desc
limit 1`;

/**
 * Stores lines (at least one) at `end`, and deletes the oldest appends beyond 5,000 lines or 1 MiB. Lines that have waited
 * since before the end of an erasure in the agent's session are stored as empty ones. Returns the new end; undefined when
 * another process has written at `end`: then read the end again, and continue there.
 */
export async function appendLog(
  database: DatabaseAccess,
  agentId: string,
  { nextLine, nextByte }: AgentLogEnd,
  lines: readonly AgentLogLine[],
): Promise<AgentLogEnd | undefined> {
  // PostgreSQL's text cannot hold NUL.
  const texts = lines.map(({ line }) => line.replaceAll('\0', '\uFFFD'));
  const times = lines.map(({ at }) => at);
  const byteCount = texts.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const lastAt = Math.max(...times);
  const start = [agentId, nextLine, nextByte] as const;
  const [end] = await APPEND_LOG(database, ...start, byteCount, lastAt, texts, times);
  return end && { nextLine: Number(end.nextLine), nextByte: Number(end.nextByte), lastAt };
}
