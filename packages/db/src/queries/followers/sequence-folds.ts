import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { visibleText } from '../messages/read-messages.ts';
import { sqlSenderOf } from '../messages/same-id.ts';
import { SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';
import {
  CLAIMED,
  type ClaimedParameters,
  claimedParameters,
  claimSessions,
  claimText,
  movedSessions,
  ownSessions,
  type SessionClaim,
} from './session-claims.ts';

const VERSIONS = 200;
/** The greatest number of a sequence, far above those that are trusted. */
export const GREATEST = 1_000_000_000;
/** A sequence with a larger jump is not trusted: lost messages do not explain it. */
export const MOST_MISSING = 10_000;
/** A sequence with more holes is not trusted. */
const MOST_HOLES = 1000;
/**
 * The most sequences of one sender in a session. Each read of the session counts what they lack, so further ones are ignored.
 */
export const MOST_SEQUENCES = 100;
/** An identity may be longer than an index takes. */
export const SENDER_CHARACTERS = 300;

/** The numbers up to `announced` and to the greatest of `heard` that neither `heard` nor `others` has. */
export function missingIn(heard: string, others: string, announced: string): string {
  return `(int4multirange(int4range(1, greatest(upper(${heard}), ${announced} + 1))) - ${heard} - ${others})`;
}

export const CLAIM_SEQUENCE_SESSIONS = statement<[leaseMs: number], SessionClaim>(
  'claim_sequence_sessions',
  claimText(SEQUENCE_FOLLOWER_ID, 'asc'),
);

/** Claims up to 100 sessions with new messages, for `leaseMs`. Other processes leave them until then. */
export async function claimSequenceSessions(
  database: DatabaseAccess,
  leaseMs: number,
): Promise<SessionClaim[]> {
  return await claimSessions(database, CLAIM_SEQUENCE_SESSIONS, leaseMs);
}

const HEARD = 'stored.heard + excluded.heard';
const IS_TRUSTED = `(
      stored.is_trusted and excluded.is_trusted
      and (select count(*) from unnest(${HEARD})) <= ${MOST_HOLES}
    )`;

export const FOLD_SEQUENCES = statement<
  [...claimed: ClaimedParameters, firstMs: number],
  { readonly folded: number; readonly moved: number }
>(
  'fold_sequences',
  `
with ${CLAIMED}, head as materialized (
  select claimed.session_id, claimed.position, head.last_at
  from claimed
  -- Each by its key, whatever the plan expects.
  cross join lateral (select last_at from session_heads where session_id = claimed.session_id limit 1) head
), version as materialized (
  select
    head.session_id,
    seen.seen_at,
    seen.metadata #>> '{seq,q}' as q,
    case when seen.metadata #>> '{seq,n}' ~ '^[1-9][0-9]{0,8}$' then (seen.metadata #>> '{seq,n}')::int end as n,
    seen.metadata #>> '{participant,sid}' as sid,
    seen.metadata #>> '{participant,identity}' as identity,
    seen.erased_at,
    left(${sqlSenderOf('seen')}, ${SENDER_CHARACTERS}) as sender
  from head
  cross join lateral (${visibleText('head.position', String(VERSIONS), 'true', 'head.session_id')}) seen
), reached as materialized (
  select head.session_id,
    -- One snapshot: between the last version and the head is nothing.
    case when page.size = ${VERSIONS} then page.last_at else head.last_at end as position
  from head
  cross join lateral (
    select max(seen_at) as last_at, count(*) as size from version where version.session_id = head.session_id
  ) page
), ${ownSessions(SEQUENCE_FOLLOWER_ID, 'version')}, alive as materialized (
  select session.id
  from own
  cross join lateral (select id from sessions where id = own.session_id limit 1 for key share) session
), numbered as materialized (
  select
    version.session_id,
    -- The sender of an erased message is not known any more, but its sequence is. If nobody knows yet whose that is, the
    -- number is noted under no name, for the first message of the sequence with a sender.
    coalesce(
      version.sender,
      (
        select former.sender from sender_sequences former
        where former.session_id = version.session_id and former.q = version.q and former.sender <> ''
        limit 1
      ),
      max(version.sender) over (partition by version.session_id, version.q),
      case when version.erased_at is not null then '' end
    ) as sender,
    version.q, version.n, version.seen_at, version.identity, version.sid
  from version
  join alive on alive.id = version.session_id
  where version.q is not null
), counted as materialized (
  select
    session_id, sender, q,
    coalesce(range_agg(int4range(n, n + 1)) filter (where n is not null), '{}') as heard,
    bool_or(n is null) as is_wild,
    max(seen_at) as last_at,
    (array_agg(identity order by seen_at desc) filter (where sid is not null))[1] as identity
  from numbered
  where sender is not null
  group by session_id, sender, q
), judged as materialized (
  select
    counted.session_id, counted.sender, counted.q, counted.last_at, counted.identity,
    counted.heard + coalesce(unnamed.heard, '{}') as heard,
    not counted.is_wild
      and coalesce(upper(counted.heard) - coalesce(upper(former.heard), 1), 0) <= ${MOST_MISSING} as is_trusted
  from counted
  left join sender_sequences former
    on former.session_id = counted.session_id and former.sender = counted.sender and former.q = counted.q
  left join sender_sequences unnamed
    on unnamed.session_id = counted.session_id and unnamed.sender = '' and unnamed.q = counted.q
  where former.q is not null or (
    select count(*) from (
      select from sender_sequences same
      where same.session_id = counted.session_id and same.sender = counted.sender
      limit ${MOST_SEQUENCES}
    ) same
  ) < ${MOST_SEQUENCES}
), folded as (
  insert into sender_sequences as stored (session_id, sender, q, identity, heard, last_at, is_trusted, next_at)
  select
    judged.session_id, judged.sender, judged.q, judged.identity,
    case when judged.is_trusted then judged.heard else '{}' end,
    judged.last_at, judged.is_trusted,
    case
      when judged.is_trusted and judged.sender <> '' and ${missingIn('judged.heard', `'{}'::int4multirange`, '0')} <> '{}'
      then now() + $4::int * interval '1 ms'
    end
  from judged
  order by judged.session_id, judged.sender, judged.q
  on conflict (session_id, sender, q) do update set
    identity = coalesce(excluded.identity, stored.identity),
    heard = case when ${IS_TRUSTED} then ${HEARD} else stored.heard end,
    last_at = greatest(stored.last_at, excluded.last_at),
    is_trusted = ${IS_TRUSTED},
    missing_from = case when stored.next_at is null then stored.last_at else stored.missing_from end,
    next_at = case
      when not ${IS_TRUSTED} or stored.sender = '' then null
      when stored.next_at is not null then stored.next_at
      when ${missingIn(`(${HEARD})`, 'stored.declared', 'stored.announced')} <> '{}' then now() + $4::int * interval '1 ms'
    end
  returning 1
), ${movedSessions(SEQUENCE_FOLLOWER_ID)}
select (select count(*)::int from folded) as folded, (select count(*)::int from moved) as moved`,
);

/**
 * Notes which numbers are in the claimed histories behind their positions, up to a limit of each, moves the positions
 * and gives the sessions back. Writes nothing for a lost claim. Missing numbers are asked for after `firstMs`. Returns
 * how many sequences and positions were written.
 */
export async function foldSequences(
  database: DatabaseAccess,
  claims: readonly SessionClaim[],
  firstMs: number,
): Promise<{ folded: number; moved: number }> {
  const [row] = await FOLD_SEQUENCES.run(database, ...claimedParameters(claims), firstMs);
  return row ?? { folded: 0, moved: 0 };
}
