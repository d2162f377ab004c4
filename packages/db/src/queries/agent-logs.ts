import type { Database } from '../client.ts';

export interface AgentLogLine {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly line: string;
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
  };
}

function linesOf(chunks: readonly { times: string[]; lines: string[] }[]): AgentLogLine[] {
  return chunks.flatMap(({ times, lines }) =>
    lines.map((line, index) => ({ at: Number(times[index]), line })),
  );
}
