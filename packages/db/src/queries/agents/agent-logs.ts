import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type AgentLogLine, timeFromMicroseconds } from './agent-log-appends.ts';

/** Lines are counted from the agent's first line, which has the number 0. */
export interface NumberedLogLine extends AgentLogLine {
  readonly number: number;
}

/** Appends have up to 64 KiB each. */
const APPENDS_PER_READ = 8;

interface Chunk {
  readonly times: string[];
  readonly lines: string[];
}

type BoundParameters = [agentId: string, bound: number];

export const TAIL_LOG = statement(
  'tail_log',
  (...parameters: BoundParameters) => parameters,
  allRows<Chunk>,
)`
select times, lines
from agent_logs
where agent_id = $1
  and first_line + line_count
    > (select max(first_line + line_count) from agent_logs where agent_id = $1) - $2
order by first_line`;

export async function tailLog(
  database: DatabaseAccess,
  agentId: string,
  count: number,
): Promise<AgentLogLine[]> {
  return linesOf(await TAIL_LOG(database, agentId, count)).slice(-count);
}

export const LIST_LOG_SINCE = statement(
  'list_log_since',
  (...parameters: BoundParameters) => parameters,
  allRows<Chunk>,
)`
select times, lines
from agent_logs
where agent_id = $1
  and last_at > ${timeFromMicroseconds('$2')}
order by first_line`;

/** Returns the lines after a time, in microseconds since 1970. */
export async function listLogSince(
  database: DatabaseAccess,
  agentId: string,
  since: number,
): Promise<AgentLogLine[]> {
  return linesOf(await LIST_LOG_SINCE(database, agentId, since)).filter(({ at }) => at > since);
}

export const LIST_LOG_FROM = statement(
  'list_log_from',
  (...parameters: BoundParameters) => parameters,
  allRows<Chunk & { readonly firstLine: string }>,
)`
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
limit ${APPENDS_PER_READ}`;

/** Returns some of the lines from `number` on, up to some hundred KiB; an empty list when there are none yet. */
export async function listLogFrom(
  database: DatabaseAccess,
  agentId: string,
  number: number,
): Promise<NumberedLogLine[]> {
  const chunks = await LIST_LOG_FROM(database, agentId, number);
  const lines = chunks.flatMap(({ firstLine, ...chunk }) =>
    linesOf([chunk]).map((line, index) => ({ ...line, number: Number(firstLine) + index })),
  );
  return lines.filter((line) => line.number >= number);
}

function linesOf(chunks: readonly Chunk[]): AgentLogLine[] {
  return chunks.flatMap(({ times, lines }) =>
    lines.map((line, index) => ({ at: Number(times[index]), line })),
  );
}
