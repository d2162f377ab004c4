import { type DatabaseAccess, type SqlClient, type Statement, statement } from '../statement.ts';

export interface AgentLogLine {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly line: string;
}

/** Lines are counted from the agent's first line, which has the number 0. */
export interface NumberedLogLine extends AgentLogLine {
  readonly number: number;
}

export interface LogReader {
  readonly agentId: string;
  readonly userId: string;
}

/** The state of the log that a user reads; all states of one answer belong to one moment. */
export interface LogState extends LogReader {
  /** The number that the next line gets. */
  readonly nextLine: number;
  /** Whether the agent has stopped: then no line follows. */
  readonly isComplete: boolean;
}

/** The end of an agent's log, where the next append begins. */
export interface AgentLogEnd {
  readonly nextLine: number;
  readonly nextByte: number;
  /** The time of the last line, in microseconds since 1970; null while there is no line. */
  readonly lastAt: number | null;
}

export interface AgentLogQueries {
  /** Returns the end of the agent's log. */
  findLogEnd(agentId: string): Promise<AgentLogEnd>;
  /**
   * Stores lines (at least one) at `end`. Deletes the oldest, in whole appends, where more than 5,000 lines or 1 MiB would
   * stay. Returns the new end, or undefined when another process has written at `end`: then read the end, and continue there.
   */
  appendLog(
    agentId: string,
    end: AgentLogEnd,
    lines: readonly AgentLogLine[],
  ): Promise<AgentLogEnd | undefined>;
  /** Returns the last `count` lines, or those of them that are kept. */
  tailLog(agentId: string, count: number): Promise<AgentLogLine[]>;
  /** Returns the lines after a time, in microseconds since 1970. */
  listLogSince(agentId: string, since: number): Promise<AgentLogLine[]>;
  /** Returns the number of the first line that `tailLog` with the same `count` returns; 0 while there is no line. */
  findTailLine(agentId: string, count: number): Promise<number>;
  /** Returns the number of the first line after a time, in microseconds since 1970, or else of the next line to come. */
  findLineSince(agentId: string, since: number): Promise<number>;
  /** Returns some of the lines from `number` on, at most some hundred KiB; none when there is none yet. */
  listLogFrom(agentId: string, number: number): Promise<NumberedLogLine[]>;
  /** Returns the states of the logs for those of the readers who may read them, and leaves out the others. */
  lookAtLogs(readers: readonly LogReader[]): Promise<LogState[]>;
}

const KEPT_LINES = 5000;
const KEPT_BYTES = 1_048_576;

/** Appends have up to 64 KiB each. */
const APPENDS_PER_READ = 8;

/** The point in time that a parameter gives in microseconds since 1970. */
function timeOf(parameter: string): string {
  return `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;
}

type AppendParameters = [
  agentId: string,
  nextLine: number,
  nextByte: number,
  byteCount: number,
  lastAt: number,
  lines: readonly string[],
  times: readonly number[],
];

export const APPEND_LOG = statement<AppendParameters, { nextLine: string; nextByte: string }>(
  'append_log',
  `
with added as (
  insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
  select
    $1::uuid, $2::bigint, $3::bigint, cardinality($6::text[]), $4::int, ${timeOf('$5')}, $7::bigint[], $6::text[]
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
select next_line as "nextLine", next_byte as "nextByte" from added`,
);

export const FIND_LOG_END = statement<
  [agentId: string],
  Record<'nextLine' | 'nextByte' | 'lastAt', string>
>(
  'find_log_end',
  `
select
  first_line + line_count as "nextLine",
  first_byte + byte_count as "nextByte",
  times[line_count] as "lastAt"
from agent_logs
where agent_id = $1
order by first_line desc
limit 1`,
);

/** The lines of one append. */
interface Chunk {
  readonly times: string[];
  readonly lines: string[];
}

type BoundParameters = [agentId: string, bound: number];

export const TAIL_LOG = statement<BoundParameters, Chunk>(
  'tail_log',
  `
select times, lines
from agent_logs
where agent_id = $1
  and first_line + line_count
    > (select max(first_line + line_count) from agent_logs where agent_id = $1) - $2
order by first_line`,
);

export const LIST_LOG_SINCE = statement<BoundParameters, Chunk>(
  'list_log_since',
  `
select times, lines
from agent_logs
where agent_id = $1
  and last_at > ${timeOf('$2')}
order by first_line`,
);

export const FIND_TAIL_LINE = statement<BoundParameters, { number: string | null }>(
  'find_tail_line',
  `
select greatest(min(first_line), max(first_line + line_count) - $2) as number
from agent_logs
where agent_id = $1`,
);

/** The number of the next line of the row `agent`; null while there is no line. */
const NEXT_LINE = `(
  select chunk.first_line + chunk.line_count
  from agent_logs chunk
  where chunk.agent_id = agent.id
  order by chunk.first_line desc
  limit 1
)`;

export const FIND_LINE_SINCE = statement<BoundParameters, { number: string | null }>(
  'find_line_since',
  `
select coalesce(
  (
    select chunk.first_line + (select count(*) from unnest(chunk.times) line_time where line_time <= $2)
    from agent_logs chunk
    where chunk.agent_id = agent.id
      and chunk.last_at > ${timeOf('$2')}
    order by chunk.first_line
    limit 1
  ),
  ${NEXT_LINE}
) as number
from (select $1::uuid as id) agent`,
);

export const LIST_LOG_FROM = statement<BoundParameters, Chunk & { readonly firstLine: string }>(
  'list_log_from',
  `
select first_line as "firstLine", times, lines
from agent_logs
where agent_id = $1
  and first_line + line_count > $2
  -- So the index finds the append that holds the line, and no row before it is read.
  and first_line >= coalesce(
    (select max(first_line) from agent_logs where agent_id = $1 and first_line <= $2),
    0
  )
order by first_line
limit ${APPENDS_PER_READ}`,
);

export const LOOK_AT_LOGS = statement<
  [agentIds: readonly string[], userIds: readonly string[]],
  Omit<LogState, 'nextLine'> & { readonly nextLine: string | null }
>(
  'look_at_logs',
  `
select
  reader.agent_id as "agentId",
  reader.user_id as "userId",
  agent.status = 'Stopped' as "isComplete",
  ${NEXT_LINE} as "nextLine"
from unnest($1::uuid[], $2::uuid[]) reader (agent_id, user_id)
join agents agent on agent.id = reader.agent_id
join sessions session on session.id = agent.session_id and session.deleted_at is null
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = reader.user_id`,
);

/** Returns the queries on `agent_logs`. */
export function prepareAgentLogQueries({ sql }: DatabaseAccess): AgentLogQueries {
  return {
    async findLogEnd(agentId) {
      const [end] = await FIND_LOG_END.run(sql, agentId);
      if (!end) return { nextLine: 0, nextByte: 0, lastAt: null };
      const { nextLine, nextByte, lastAt } = end;
      return { nextLine: Number(nextLine), nextByte: Number(nextByte), lastAt: Number(lastAt) };
    },
    appendLog: (agentId, end, lines) => appendLog(sql, agentId, end, lines),
    async tailLog(agentId, count) {
      return linesOf(await TAIL_LOG.run(sql, agentId, count)).slice(-count);
    },
    async listLogSince(agentId, since) {
      return linesOf(await LIST_LOG_SINCE.run(sql, agentId, since)).filter(({ at }) => at > since);
    },
    findTailLine: (agentId, count) => findNumber(sql, FIND_TAIL_LINE, agentId, count),
    findLineSince: (agentId, since) => findNumber(sql, FIND_LINE_SINCE, agentId, since),
    async listLogFrom(agentId, number) {
      const chunks = await LIST_LOG_FROM.run(sql, agentId, number);
      const lines = chunks.flatMap(({ firstLine, ...chunk }) =>
        linesOf([chunk]).map((line, index) => ({ ...line, number: Number(firstLine) + index })),
      );
      return lines.filter((line) => line.number >= number);
    },
    async lookAtLogs(readers) {
      const agentIds = readers.map(({ agentId }) => agentId);
      const userIds = readers.map(({ userId }) => userId);
      const states = await LOOK_AT_LOGS.run(sql, agentIds, userIds);
      return states.map((state) => ({ ...state, nextLine: Number(state.nextLine) }));
    },
  };
}

async function appendLog(
  sql: SqlClient,
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
  const [end] = await APPEND_LOG.run(sql, ...start, byteCount, lastAt, texts, times);
  return end && { nextLine: Number(end.nextLine), nextByte: Number(end.nextByte), lastAt };
}

async function findNumber(
  sql: SqlClient,
  query: Statement<BoundParameters, { number: string | null }>,
  agentId: string,
  bound: number,
): Promise<number> {
  const [found] = await query.run(sql, agentId, bound);
  return Number(found?.number ?? 0);
}

function linesOf(chunks: readonly Chunk[]): AgentLogLine[] {
  return chunks.flatMap(({ times, lines }) =>
    lines.map((line, index) => ({ at: Number(times[index]), line })),
  );
}
