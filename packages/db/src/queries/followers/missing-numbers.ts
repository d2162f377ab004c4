import { allRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { missingIn, NONE } from './sequence-folds.ts';

export type NumberRange = readonly [first: number, last: number];

export interface MissingNumbers {
  readonly sessionId: string;
  readonly sender: string;
  readonly q: string;
  readonly identity: string | null;
  readonly isActive: boolean;
  readonly missing: readonly NumberRange[];
  /** Numbers for which the sender was asked in vain, and which must be declared missing. */
  readonly lost: readonly NumberRange[];
  /** ISO 8601: as far as is known, the messages were said between these times. */
  readonly from: string;
  readonly to: string;
}

interface MissingRow extends Omit<MissingNumbers, 'missing' | 'lost'> {
  readonly missing: string;
  readonly lost: string;
}

const MOST_DUE = 50;
const ASKS = 3;
/** How long the caller has to declare what is lost. After that, another process does it. */
const DECLARE_MS = 10_000;

const MISSING = missingIn('stored');

/**
 * How often the sender was asked. Starts at 0 again when everything that was asked for has arrived and other numbers are
 * missing.
 */
const ASKED = `case when stored.asking * ${MISSING} = '{}' then 0 else stored.asks end`;

/**
 * Returns up to 50 sequences with missing numbers to ask for now. A sequence is due again after `againMs`, or after `lastMs` if
 * this is the third request. When it is due after the third request, the numbers that were requested each time, and are still
 * missing, are `lost`.
 */
export const takeMissingNumbers = statement(
  'take_missing_numbers',
  ({ againMs, lastMs }: { againMs: number; lastMs: number }) => [againMs, lastMs],
  (rows: MissingRow[]) =>
    rows.map((row) => ({
      ...row,
      missing: rangesIn(row.missing),
      lost: rangesIn(row.lost),
    })),
)`
with due as (
  select session_id, sender, q
  from sender_sequences
  where next_at <= now()
  order by next_at
  limit ${MOST_DUE}
  for no key update skip locked
), taken as (
  update sender_sequences stored
  set
    asks = case when ${MISSING} = '{}' then 0 else least(${ASKED} + 1, ${ASKS}) end,
    asking = case when ${ASKED} = 0 then ${MISSING} else stored.asking end,
    next_at = case
      when ${MISSING} = '{}' then null
      else now() + interval '1 ms' * case
        when ${ASKED} + 1 < ${ASKS} then $1::int
        when ${ASKED} + 1 = ${ASKS} then $2::int
        else ${DECLARE_MS}
      end
    end
  from due
  where stored.session_id = due.session_id and stored.sender = due.sender and stored.q = due.q
  returning stored.*, old.asks as former_asks, old.asking as former_asking
)
select
  stored.session_id as "sessionId",
  stored.sender,
  stored.q,
  stored.identity,
  session.status = 'ACTIVE' as "isActive",
  ${MISSING}::text as missing,
  case when stored.former_asks = ${ASKS} then stored.former_asking * ${MISSING} else '{}' end::text as lost,
  coalesce(stored.missing_from, session.created_at) as "from",
  coalesce(stored.last_at, now()) as "to"
from taken stored
join sessions session on session.id = stored.session_id
where ${MISSING} <> '{}'`;

function rangesIn(multirange: string): NumberRange[] {
  return Array.from(multirange.matchAll(/\[(\d+),(\d+)\)/g), ([, first, end]) => [
    Number(first),
    Number(end) - 1,
  ]);
}

/** Notes that the history reports these numbers as missing. Other missing numbers are asked for after `firstMs`. */
export const declareMissingNumbers = statement(
  'declare_missing_numbers',
  (
    { sessionId, sender, q, lost }: Pick<MissingNumbers, 'sessionId' | 'sender' | 'q' | 'lost'>,
    firstMs: number,
  ) => {
    const multirange = `{${lost.map(([first, last]) => `[${first},${last}]`).join()}}`;
    return [sessionId, sender, q, multirange, firstMs];
  },
  nothing,
)`
update sender_sequences stored
set
  declared = stored.declared + $4::text::int4multirange,
  asks = 0,
  asking = '{}',
  missing_from = case when ${MISSING} - $4::text::int4multirange = '{}' then null else stored.missing_from end,
  next_at = case
    when ${MISSING} - $4::text::int4multirange = '{}' then null
    else now() + $5::int * interval '1 ms'
  end
where session_id = $1 and sender = $2 and q = $3`;

export interface MissingCount {
  readonly sessionId: string;
  readonly identity: string;
  readonly count: number;
}

/**
 * Counts, by sender, the messages that the histories of these sessions lack now. Messages that are being requested count
 * too.
 */
export const countMissingMessages = statement(
  'count_missing_messages',
  (sessionIds: readonly string[]) => [sessionIds],
  allRows<MissingCount>,
)`
select stored.session_id as "sessionId", stored.sender as identity, sum(upper(gap) - lower(gap))::int as count
from sender_sequences stored
cross join lateral unnest(${missingIn('stored', { declared: NONE })}) gap
where stored.session_id = any ($1::uuid[]) and stored.is_trusted and stored.sender <> ''
group by stored.session_id, stored.sender
order by 1, 2`;
