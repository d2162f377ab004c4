import { type SequenceNumber, senderOf } from '@session/contract/room';
import type { NewMessageRow } from '../../schema/messages.ts';
import { nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { GREATEST, MOST_MISSING, SENDER_CHARACTERS } from './sequence-folds.ts';

interface Heard extends SequenceNumber {
  readonly sessionId: string;
  readonly sender: string;
}

function columnsOf(heard: readonly Heard[]) {
  return [
    heard.map(({ sessionId }) => sessionId),
    heard.map(({ sender }) => sender),
    heard.map(({ q }) => q),
    heard.map(({ n }) => String(n)),
  ];
}

export const HEAR_NUMBERS = statement('hear_numbers', columnsOf, nothing)`
with given as materialized (
  select session_id, left(sender, ${SENDER_CHARACTERS}) as sender, q, range_agg(int4range(n::int, n::int + 1)) as heard
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as given (session_id, sender, q, n)
  group by 1, 2, 3
), locked as materialized (
  select stored.session_id, stored.sender, stored.q, given.heard
  from given
  join sender_sequences stored
    on stored.session_id = given.session_id and stored.sender = given.sender and stored.q = given.q
  where stored.is_trusted
    -- Nobody makes a sequence longer in this way.
    and (stored.heard <> '{}' or stored.announced > 0)
    and not stored.heard @> given.heard
  -- In the order in which folds lock them.
  order by stored.session_id, stored.sender, stored.q
  for no key update of stored
)
update sender_sequences stored
set heard = stored.heard + locked.heard * int4multirange(int4range(1, greatest(upper(stored.heard), stored.announced + 1)))
from locked
where stored.session_id = locked.session_id and stored.sender = locked.sender and stored.q = locked.q`;

export const HEAR_UNSTORED = statement('hear_unstored', columnsOf, nothing)`
insert into sender_sequences as stored (session_id, sender, q, heard)
select given.session_id, given.sender, given.q, range_agg(int4range(given.n::int, given.n::int + 1))
from (
  select
    session.id as session_id,
    -- Whose an unknown sender's sequence is, its other messages say: those before, or else those to come, as in a fold.
    coalesce(
      left(nullif(asked.sender, ''), ${SENDER_CHARACTERS}),
      (
        select former.sender from sender_sequences former
        where former.session_id = session.id and former.q = asked.q and former.sender <> ''
        limit 1
      ),
      ''
    ) as sender,
    asked.q,
    asked.n
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as asked (session_id, sender, q, n)
  join sessions session on session.id = asked.session_id
) given
left join sender_sequences former
  on former.session_id = given.session_id and former.sender = given.sender and former.q = given.q
where given.n - coalesce(upper(former.heard), 1) < ${MOST_MISSING}
group by 1, 2, 3
order by 1, 2, 3
on conflict (session_id, sender, q) do update set heard = stored.heard + excluded.heard
where stored.is_trusted and not stored.heard @> excluded.heard`;

/** Notes as heard the numbers of messages that arrived and are never stored, because the database refuses them. */
export async function hearUnstored(
  database: DatabaseAccess,
  messages: readonly NewMessageRow[],
): Promise<void> {
  await hear(database, HEAR_UNSTORED, messages);
}

/**
 * Like `hearUnstored`, for messages that were erased before they were stored. A sender is noted only if the sequence
 * already has one.
 */
export async function hearErased(
  database: DatabaseAccess,
  messages: readonly NewMessageRow[],
): Promise<void> {
  const unnamed = messages.map((message) => ({
    ...message,
    metadata: { ...message.metadata, participant: null },
  }));
  await hear(database, HEAR_UNSTORED, unnamed);
}

/** Notes as heard the numbers of messages that the history leaves out, or has under another number. */
export async function hearNumbers(
  database: DatabaseAccess,
  messages: readonly NewMessageRow[],
): Promise<void> {
  await hear(database, HEAR_NUMBERS, messages);
}

async function hear(
  database: DatabaseAccess,
  hearing: typeof HEAR_NUMBERS,
  messages: readonly NewMessageRow[],
): Promise<void> {
  const heard = messages.flatMap((message) => {
    const { seq, participant } = metadataOf(message);
    if (!seq || seq.n >= GREATEST) return [];
    const sender = participant ? senderOf(participant.identity) : '';
    return [{ sessionId: message.sessionId, sender, ...seq }];
  });
  if (heard.length > 0) await hearing(database, heard);
}

export function isResent(message: NewMessageRow): boolean {
  return metadataOf(message).resent === true;
}

interface NumberedMetadata {
  readonly seq?: SequenceNumber;
  readonly participant?: { readonly identity: string } | null;
  readonly resent?: true;
}

function metadataOf({ metadata }: NewMessageRow): NumberedMetadata {
  return metadata ?? {};
}
