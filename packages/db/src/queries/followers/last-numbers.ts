import { type SequenceNumber, senderOf } from '@session/contract/room';
import { nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import {
  GREATEST,
  MOST_MISSING,
  MOST_SEQUENCES,
  missingIn,
  SENDER_CHARACTERS,
} from './sequence-folds.ts';

export interface LastNumber extends SequenceNumber {
  readonly sessionId: string;
  readonly identity: string;
}

/** How long messages may still be stored after their sender's last number has arrived, before the sender is asked for them. */
const PATIENCE = `interval '3 s'`;

const IS_MISSING = `${missingIn('stored', { announced: 'excluded.announced' })} <> '{}'`;

export const NOTE_LAST_NUMBERS = statement(
  'note_last_numbers',
  (
    sessionIds: readonly string[],
    senders: readonly string[],
    identities: readonly string[],
    qs: readonly string[],
    ns: readonly string[],
  ) => [sessionIds, senders, identities, qs, ns],
  nothing,
)`
insert into sender_sequences as stored (session_id, sender, q, identity, heard, announced, last_at, next_at)
select session_id, sender, q, identity, heard, n, now(), now() + ${PATIENCE}
from (
  select given.*, former.q is not null as is_known, coalesce(unnamed.heard, '{}') as heard,
    row_number() over (partition by session.id, given.sender, former.q is null order by given.q) as nth
  from (
    select session_id, left(sender, ${SENDER_CHARACTERS}) as sender, q, max(identity) as identity, max(n)::int as n
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[]) as given (session_id, sender, identity, q, n)
    group by 1, 2, 3
  ) given
  join sessions session on session.id = given.session_id
  left join sender_sequences former
    on former.session_id = session.id and former.sender = given.sender and former.q = given.q
  -- As in a fold: the sender of erased messages is not known, only their sequence.
  left join sender_sequences unnamed
    on unnamed.session_id = session.id and unnamed.sender = '' and unnamed.q = given.q
  where given.n - coalesce(upper(former.heard), upper(unnamed.heard), 1) < ${MOST_MISSING}
    -- The numbers of an erased participant name nobody again.
    and (former.q is not null or not coalesce(unnamed.heard, '{}') @> int4range(1, given.n, '[]'))
) plausible
where is_known or nth + (
  select count(*) from (
    select from sender_sequences same
    where same.session_id = plausible.session_id and same.sender = plausible.sender
    limit ${MOST_SEQUENCES}
  ) same
) <= ${MOST_SEQUENCES}
order by 1, 2, 3
on conflict (session_id, sender, q) do update set
  identity = excluded.identity,
  announced = excluded.announced,
  last_at = case when ${IS_MISSING} then greatest(stored.last_at, excluded.last_at) else stored.last_at end,
  missing_from = case when stored.next_at is null then stored.last_at else stored.missing_from end,
  -- A part that is stored already, and not noted yet, is due once it is noted.
  next_at = coalesce(stored.next_at, case when ${IS_MISSING} then excluded.next_at end)
where stored.is_trusted and stored.announced < excluded.announced`;

/** Stores the last numbers of senders, in the column `announced`. Senders are asked for missing numbers up to these. */
export async function noteLastNumbers(
  database: DatabaseAccess,
  numbers: readonly LastNumber[],
): Promise<void> {
  const plausible = numbers.filter(({ n }) => n < GREATEST);
  if (plausible.length === 0) return;
  await NOTE_LAST_NUMBERS(
    database,
    plausible.map(({ sessionId }) => sessionId),
    plausible.map(({ identity }) => senderOf(identity)),
    plausible.map(({ identity }) => identity),
    plausible.map(({ q }) => q),
    plausible.map(({ n }) => String(n)),
  );
}
