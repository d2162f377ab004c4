import type { Database } from '../client.ts';

export interface AgentLogLine {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly line: string;
}

/** Lines are counted from the agent's first one, which has the number 0. */
export interface NumberedLogLine extends AgentLogLine {
  readonly number: number;
}

export interface LogReader {
  readonly agentId: string;
  readonly userId: string;
}

/** How the log stands that somebody reads, all at one moment. */
export interface LogState extends LogReader {
  /** The number of the line that comes next. */
  readonly nextLine: number;
  /** Whether the agent has stopped: then none comes. */
  readonly isComplete: boolean;
}

/** Where an agent's log ends: what the next append begins with. */
export interface AgentLogEnd {
  readonly nextLine: number;
  readonly nextByte: number;
  /** The time of the last line, in microseconds since 1970; null while there is none. */
  readonly lastAt: number | null;
}

export interface AgentLogQueries {
  /** Gives where the agent's log ends. */
  findLogEnd(agentId: string): Promise<AgentLogEnd>;
  /**
   * Adds lines (at least one) at `end`, and drops the oldest, in whole appends, where more than 5,000 lines or 1 MiB would
   * stay. Gives the new end, or undefined when another has written there: then read the end, and go on from it.
   */
  appendLog(
    agentId: string,
    end: AgentLogEnd,
    lines: readonly AgentLogLine[],
  ): Promise<AgentLogEnd | undefined>;
  /** Gives the last `count` lines, or what is kept of them. */
  tailLog(agentId: string, count: number): Promise<AgentLogLine[]>;
  /** Gives the lines after a time, in microseconds since 1970. */
  listLogSince(agentId: string, since: number): Promise<AgentLogLine[]>;
  /** Gives the number of the first of the last `count` lines, or of what is kept of them; 0 while there is none. */
  findTailLine(agentId: string, count: number): Promise<number>;
  /** Gives the number of the first line after a time, in microseconds since 1970, or of the line that comes next. */
  findLineSince(agentId: string, since: number): Promise<number>;
  /** Gives some of the lines from that number on, at most some hundred KiB; none when there is none yet. */
  listLogFrom(agentId: string, number: number): Promise<NumberedLogLine[]>;
  /** Gives how the logs stand, to those of the readers who may read them; the others are left out. */
  lookAtLogs(readers: readonly LogReader[]): Promise<LogState[]>;
}

const APPEND = `
with added as (
  insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
  select $1::uuid, $2::bigint, $3::bigint, cardinality($6::text[]), $4::int,
    'epoch'::timestamptz + $5::bigint * interval '1 microsecond', $7::bigint[], $6::text[]
  -- Output that a crash of PostgreSQL loses is not worth a wait for the disk.
  where set_config('synchronous_commit', 'off', true) is not null
  on conflict (agent_id, first_line) do nothing returning first_line + line_count as next_line, first_byte + byte_count as next_byte
), trimmed as (
  delete from agent_logs g using added a
  where g.agent_id = $1 and (g.first_line + g.line_count <= a.next_line - 5000 or g.first_byte + g.byte_count <= a.next_byte - 1048576)
)
select next_line as "nextLine", next_byte as "nextByte" from added`;

const END = `
select first_line + line_count as "nextLine", first_byte + byte_count as "nextByte", times[line_count] as "lastAt"
from agent_logs where agent_id = $1 order by first_line desc limit 1`;

const TAIL = `
select times, lines from agent_logs
where agent_id = $1 and first_line + line_count > (select max(first_line + line_count) from agent_logs where agent_id = $1) - $2
order by first_line`;

const SINCE = `
select times, lines from agent_logs
where agent_id = $1 and last_at > 'epoch'::timestamptz + $2::bigint * interval '1 microsecond' order by first_line`;

const TAIL_LINE = `
select greatest(min(first_line), max(first_line + line_count) - $2) as number from agent_logs where agent_id = $1`;

const NEXT_LINE = `select l.first_line + l.line_count from agent_logs l where l.agent_id = a.id order by l.first_line desc limit 1`;

const LINE_SINCE = `
select coalesce(
  (select first_line + (select count(*) from unnest(times) t where t <= $2) from agent_logs
   where agent_id = a.id and last_at > 'epoch'::timestamptz + $2::bigint * interval '1 microsecond' order by first_line limit 1),
  (${NEXT_LINE})) as number
from (select $1::uuid as id) a`;

// Eight appends of 64 KiB each.
const FROM = `
select first_line as "firstLine", times, lines from agent_logs
where agent_id = $1 and first_line + line_count > $2
  and first_line >= coalesce((select max(first_line) from agent_logs where agent_id = $1 and first_line <= $2), 0)
order by first_line limit 8`;

const LOOK = `
select r.agent_id as "agentId", r.user_id as "userId", a.status = 'Stopped' as "isComplete", (${NEXT_LINE}) as "nextLine"
from unnest($1::uuid[], $2::uuid[]) r (agent_id, user_id)
join agents a on a.id = r.agent_id
join sessions s on s.id = a.session_id and s.deleted_at is null
join memberships mb on mb.project_id = s.project_id and mb.user_id = r.user_id`;

/** Gives the statements on `agent_logs`; they are prepared at their first use on each connection. */
export function prepareAgentLogQueries({ sql }: Pick<Database, 'sql'>): AgentLogQueries {
  const prepare = true;
  interface Chunk {
    times: string[];
    lines: string[];
  }
  const read = async (text: string, agentId: string, bound: number) =>
    linesOf(await sql.unsafe<Chunk[]>(text, [agentId, bound], { prepare }));
  return {
    async findLogEnd(agentId) {
      type End = Record<'nextLine' | 'nextByte' | 'lastAt', string>;
      const [end] = await sql.unsafe<End[]>(END, [agentId], { prepare });
      if (!end) return { nextLine: 0, nextByte: 0, lastAt: null };
      return {
        nextLine: Number(end.nextLine),
        nextByte: Number(end.nextByte),
        lastAt: Number(end.lastAt),
      };
    },
    async appendLog(agentId, { nextLine, nextByte }, lines) {
      // PostgreSQL's text cannot hold NUL.
      const texts = lines.map(({ line }) => line.replaceAll('\0', '\uFFFD'));
      const times = lines.map(({ at }) => at);
      const bytes = texts.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      const lastAt = Math.max(...times);
      type Next = Record<'nextLine' | 'nextByte', string>;
      const parameters = [agentId, nextLine, nextByte, bytes, lastAt, texts, times];
      const [next] = await sql.unsafe<Next[]>(APPEND, parameters, { prepare });
      return next && { nextLine: Number(next.nextLine), nextByte: Number(next.nextByte), lastAt };
    },
    tailLog: async (agentId, count) => (await read(TAIL, agentId, count)).slice(-count),
    listLogSince: async (agentId, since) =>
      (await read(SINCE, agentId, since)).filter(({ at }) => at > since),
    findTailLine: (agentId, count) => findNumber(sql, TAIL_LINE, agentId, count),
    findLineSince: (agentId, since) => findNumber(sql, LINE_SINCE, agentId, since),
    async listLogFrom(agentId, number) {
      type Numbered = Chunk & { firstLine: string };
      const chunks = await sql.unsafe<Numbered[]>(FROM, [agentId, number], { prepare });
      const lines = chunks.flatMap(({ firstLine, ...chunk }) =>
        linesOf([chunk]).map((line, index) => ({ ...line, number: Number(firstLine) + index })),
      );
      return lines.filter((line) => line.number >= number);
    },
    async lookAtLogs(readers) {
      const ids = [readers.map(({ agentId }) => agentId), readers.map(({ userId }) => userId)];
      type Stored = Omit<LogState, 'nextLine'> & { nextLine: string | null };
      const found = await sql.unsafe<Stored[]>(LOOK, ids, { prepare });
      return found.map((state) => ({ ...state, nextLine: Number(state.nextLine) }));
    },
  };
}

async function findNumber(
  sql: Database['sql'],
  text: string,
  agentId: string,
  bound: number,
): Promise<number> {
  const parameters = [agentId, bound];
  const [found] = await sql.unsafe<{ number: string | null }[]>(text, parameters, {
    prepare: true,
  });
  return Number(found?.number ?? 0);
}

function linesOf(chunks: readonly { times: string[]; lines: string[] }[]): AgentLogLine[] {
  return chunks.flatMap(({ times, lines }) =>
    lines.map((line, index) => ({ at: Number(times[index]), line })),
  );
}
