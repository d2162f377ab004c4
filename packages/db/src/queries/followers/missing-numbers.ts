import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { missingIn } from './sequence-folds.ts';

export type NumberRange = readonly [first: number, last: number];

export interface MissingNumbers {
  readonly sessionId: string;
  readonly sender: string;
  readonly q: string;
  /** The newest identity that was in the room; null when the sender was never seen there. */
  readonly identity: string | null;
  readonly isActive: boolean;
  readonly missing: readonly NumberRange[];
  /** Asked for in vain: to be declared missing. */
  readonly lost: readonly NumberRange[];
  /** ISO 8601: the messages were said between these times, as far as is known. */
  readonly from: string;
  readonly to: string;
}

interface MissingRow extends Omit<MissingNumbers, 'missing' | 'lost'> {
  readonly missing: string;
  readonly lost: string;
}

const MOST_DUE = 50;
const ASKS = 3;
/** The time for the caller to declare what is lost. After it another process does. */
const DECLARE_MS = 10_000;

const MISSING = missingIn('stored.heard', 'stored.declared', 'stored.announced');

/** How often the sender was asked. Counts from 0 again when all that was asked for has arrived and other numbers are missing. */
const ASKED = `case when stored.asking * ${MISSING} = '{}' then 0 else stored.asks end`;

export const TAKE_MISSING_NUMBERS = statement<[againMs: number, lastMs: number], MissingRow>(
  'take_missing_numbers',
  `
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
  coalesce(stored.missing_from, session.created_at)::text as "from",
  coalesce(stored.last_at, now())::text as "to"
from taken stored
join sessions session on session.id = stored.session_id
where ${MISSING} <> '{}'`,
);

/**
 * Returns up to 50 sequences whose missing numbers should be asked for now. They are due again after `againMs`; after the third
 * time after `lastMs`, and then what was asked for each time is `lost`.
 */
export async function takeMissingNumbers(
  database: DatabaseAccess,
  { againMs, lastMs }: { againMs: number; lastMs: number },
): Promise<MissingNumbers[]> {
  const rows = await TAKE_MISSING_NUMBERS.run(database, againMs, lastMs);
  return rows.map((row) => ({
    ...row,
    missing: rangesIn(row.missing),
    lost: rangesIn(row.lost),
    from: isoFromText(row.from),
    to: isoFromText(row.to),
  }));
}

/** A multirange as PostgreSQL writes it: `{[1,3),[7,8)}`. */
function rangesIn(multirange: string): NumberRange[] {
  return Array.from(multirange.matchAll(/\[(\d+),(\d+)\)/g), ([, first, end]) => [
    Number(first),
    Number(end) - 1,
  ]);
}

export const DECLARE_MISSING_NUMBERS = statement<
  [sessionId: string, sender: string, q: string, lost: string, firstMs: number]
>(
  'declare_missing_numbers',
  `
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
where session_id = $1 and sender = $2 and q = $3`,
);

/** Notes that the history reports these numbers as missing. Others are due to be asked for after `firstMs`. */
export async function declareMissingNumbers(
  database: DatabaseAccess,
  { sessionId, sender, q, lost }: Pick<MissingNumbers, 'sessionId' | 'sender' | 'q' | 'lost'>,
  firstMs: number,
): Promise<void> {
  const multirange = `{${lost.map(([first, last]) => `[${first},${last}]`).join()}}`;
  await DECLARE_MISSING_NUMBERS.run(database, sessionId, sender, q, multirange, firstMs);
}

export interface MissingCount {
  readonly sessionId: string;
  readonly identity: string;
  readonly count: number;
}

export const COUNT_MISSING_MESSAGES = statement<[sessionIds: readonly string[]], MissingCount>(
  'count_missing_messages',
  `
select stored.session_id as "sessionId", stored.sender as identity, sum(upper(gap) - lower(gap))::int as count
from sender_sequences stored
cross join lateral unnest(${missingIn('stored.heard', `'{}'::int4multirange`, 'stored.announced')}) gap
where stored.session_id = any ($1::uuid[]) and stored.is_trusted and stored.sender <> ''
group by stored.session_id, stored.sender
order by 1, 2`,
);

/** Counts the messages that the histories of these sessions lack now, by sender. Those being asked for count too. */
export async function countMissingMessages(
  database: DatabaseAccess,
  sessionIds: readonly string[],
): Promise<MissingCount[]> {
  return await COUNT_MISSING_MESSAGES.run(database, sessionIds);
}
