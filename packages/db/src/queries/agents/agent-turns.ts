import { statement } from '../../statement/statement.ts';

export const WALKED_FOR_TURNS = 5000;

export interface AgentTurnRow {
  readonly messageId: string;
  readonly timestamp: string;
  readonly isInterrupted: boolean;
  readonly isTruncated: boolean;
  /** As in the message's `metadata.turn`: see `TurnFigures` of the contract. */
  readonly figures: unknown;
}

interface AgentTurnPage {
  readonly isCursorKnown: boolean;
  readonly turns: readonly AgentTurnRow[];
  readonly end: string | null;
}

interface WalkedMessage {
  readonly isCursorKnown: boolean;
  readonly id: string | null;
  readonly at: string;
  readonly isTurn: boolean | null;
  readonly isInterrupted: boolean | null;
  readonly isTruncated: boolean | null;
  readonly figures: string | null;
  readonly place: string | null;
}

function walkOf(before: string): string {
  return `
    select stored.*
    from messages stored
    where stored.session_id = agent.session_id
      and stored."timestamp" >= agent.created_at
      and stored."timestamp" < coalesce(${before}, agent.stopped_at + interval '1 minute', 'infinity')
    order by stored."timestamp" desc
    limit ${WALKED_FOR_TURNS}`;
}

const IS_TURN = `
  walked.kind = 'transcript'
  and walked.role = 'assistant'
  and jsonb_typeof(walked.metadata -> 'turn') = 'object'
  and walked.metadata #>> '{participant,identity}' = $2`;

/**
 * Returns up to `limit` answers of an agent that have figures, the newest first, before the message `cursor`. A page may be
 * short or even empty although there are older answers, because it ends after `WALKED_FOR_TURNS` messages. In that case, `end`
 * is the cursor with which to continue.
 */
export const listAgentTurns = statement(
  'list_agent_turns',
  (page: { agentId: string; identity: string; cursor: string | undefined; limit: number }) => [
    page.agentId,
    page.identity,
    page.cursor ?? null,
    page.limit,
  ],
  (rows: WalkedMessage[]): AgentTurnPage => {
    const last = rows.at(-1);
    const turns = rows.flatMap(({ id, at, isTurn, isInterrupted, isTruncated, figures }) => {
      if (isTurn !== true || id === null) return [];
      const marks = { isInterrupted: isInterrupted === true, isTruncated: isTruncated === true };
      return [{ messageId: id, timestamp: at, ...marks, figures: JSON.parse(figures ?? '{}') }];
    });
    const isCut = Number(last?.place) === WALKED_FOR_TURNS;
    return {
      isCursorKnown: rows[0]?.isCursorKnown ?? false,
      turns,
      end: isCut ? (last?.id ?? null) : null,
    };
  },
)`
select
  $3::uuid is null or cursor_message.id is not null as "isCursorKnown",
  turn.id,
  turn."timestamp" as at,
  turn.is_turn as "isTurn",
  turn.metadata @> '{"interrupted": true}' as "isInterrupted",
  turn.metadata @> '{"truncated": true}' as "isTruncated",
  turn.metadata -> 'turn' as figures,
  turn.place
from agents agent
left join messages cursor_message
  on cursor_message.session_id = agent.session_id and cursor_message.id = $3
left join lateral (
  select placed.*
  from (
    select
      walked.id, walked."timestamp", walked.metadata, coalesce(${IS_TURN}, false) as is_turn,
      row_number() over (order by walked."timestamp" desc) as place
    from (${walkOf('cursor_message."timestamp"')}) walked
  ) placed
  where placed.is_turn or placed.place = ${WALKED_FOR_TURNS}
  order by placed.place
  limit $4
) turn on true
where agent.id = $1
order by turn.place`;

const MEASURED_TIMES = ['endOfTurnMs', 'firstTokenMs', 'firstWordsMs', 'durationMs'] as const;
export type MeasuredTime = (typeof MEASURED_TIMES)[number];

export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

function percentileOf(time: MeasuredTime, part: number): string {
  const value = `case when jsonb_typeof(walked.metadata #> '{turn,${time}}') = 'number'
    then (walked.metadata #>> '{turn,${time}}')::float8 end`;
  return `percentile_disc(${part}) within group (order by ${value})`;
}

type SummaryColumn = `${MeasuredTime}${'50' | '95'}`;

/** Returns the percentiles of an agent's turns among the newest `WALKED_FOR_TURNS` messages of its time in the room. */
export const summariseAgentTurns = statement(
  'summarise_agent_turns',
  (agentId: string, identity: string) => [agentId, identity],
  ([row]: (Readonly<Record<SummaryColumn, number | null>> & { readonly turns: string })[]) => {
    const of = (time: MeasuredTime): Percentiles => ({
      p50: row?.[`${time}50`] ?? null,
      p95: row?.[`${time}95`] ?? null,
    });
    return {
      turns: Number(row?.turns ?? 0),
      endOfTurnMs: of('endOfTurnMs'),
      firstTokenMs: of('firstTokenMs'),
      firstWordsMs: of('firstWordsMs'),
      durationMs: of('durationMs'),
    };
  },
)`
select
  count(*) as turns,
  ${MEASURED_TIMES.flatMap((time) => [
    `${percentileOf(time, 0.5)} as "${time}50"`,
    `${percentileOf(time, 0.95)} as "${time}95"`,
  ]).join(',\n  ')}
from agents agent
cross join lateral (${walkOf('null')}) walked
where agent.id = $1
  and ${IS_TURN}`;
