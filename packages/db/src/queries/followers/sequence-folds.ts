import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { visibleText } from '../messages/latest-messages.ts';
import { sqlSenderOf } from '../messages/same-id.ts';
import { SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';
import {
  CLAIMED,
  claimedParameters,
  claimText,
  movedSessions,
  ownSessions,
  type SessionClaim,
} from './session-claims.ts';

const VERSIONS = 200;
/** Numbers from here on count as invalid. */
export const GREATEST = 1_000_000_000;
/** A sequence with a larger jump, or with more holes, is not trusted, because lost messages do not explain it. */
export const MOST_MISSING = 10_000;
const MOST_HOLES = 1000;
/**
 * The most sequences of one sender in a session. Each read of the session counts the missing numbers of all its
 * sequences, so further sequences are ignored.
 */
export const MOST_SEQUENCES = 100;
/** Identities are cut to this, because they may be longer than an index allows. */
export const SENDER_CHARACTERS = 300;

export const NONE = `'{}'::int4multirange`;

/**
 * Returns the expression for the missing numbers: those up to `announced` and to the greatest of `heard` that are
 * neither in `heard` nor in `declared`. Of the numbers in `partial`, only those up to `announced` are missing: the
 * others may be texts that are still being said.
 */
export function missingIn(
  row: string,
  {
    heard = `${row}.heard`,
    partial = `${row}.partial`,
    declared = `${row}.declared`,
    announced = `${row}.announced`,
  } = {},
): string {
  return `(
    int4multirange(int4range(1, greatest(upper(${heard}), ${announced} + 1))) - ${heard} - ${declared}
      - (${partial} - int4multirange(int4range(1, ${announced} + 1)))
  )`;
}

/** Claims up to 100 sessions with new messages, for `leaseMs`, during which other processes leave them alone. */
export const claimSequenceSessions = statement(
  'claim_sequence_sessions',
  (leaseMs: number) => [leaseMs],
  allRows<SessionClaim>,
)`${claimText(SEQUENCE_FOLLOWER_ID, 'asc')}`;

const HEARD = '(stored.heard + excluded.heard)';
const PARTIAL = `(stored.partial + excluded.partial - ${HEARD})`;
const IS_TRUSTED = `(
      stored.is_trusted and excluded.is_trusted
      and (select count(*) from unnest(${HEARD})) <= ${MOST_HOLES}
      and (select count(*) from unnest(${PARTIAL})) <= ${MOST_HOLES}
    )`;

/**
 * Notes which numbers are in the claimed histories from their positions on, up to a limit for each. Then moves the
 * positions, and gives the sessions back. Writes nothing for a lost claim. Senders are asked for missing numbers after
 * `firstMs`. Returns how many sequences and positions were written.
 */
export const foldSequences = statement(
  'fold_sequences',
  (claims: readonly SessionClaim[], firstMs: number) => [...claimedParameters(claims), firstMs],
  ([row]: { readonly folded: number; readonly moved: number }[]) => row ?? { folded: 0, moved: 0 },
)`
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
    seen.status is not distinct from 'pending' as is_partial,
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
    version.q, version.n, version.is_partial, version.seen_at, version.identity, version.sid,
    version.sender is null and version.erased_at is null as is_nameless
  from version
  join alive on alive.id = version.session_id
  where version.q is not null
), counted as materialized (
  select
    session_id, sender, q,
    coalesce(range_agg(int4range(n, n + 1)) filter (where n is not null and not is_partial and not is_nameless), '{}') as heard,
    coalesce(range_agg(int4range(n, n + 1)) filter (where n is not null and is_partial and not is_nameless), '{}') as partial,
    coalesce(range_agg(int4range(n, n + 1)) filter (where n is not null and not is_partial and is_nameless), '{}') as nameless,
    bool_or(n is null and not is_nameless) as is_wild,
    max(seen_at) as last_at,
    (array_agg(identity order by seen_at desc) filter (where sid is not null))[1] as identity
  from numbered
  where sender is not null
  group by session_id, sender, q
), judged as materialized (
  select
    counted.session_id, counted.sender, counted.q, counted.last_at, counted.identity,
    counted.heard + coalesce(unnamed.heard, '{}') + coalesce((
      -- Anybody can send a number under no name: it makes no hole, and no sequence that is not trusted.
      select range_agg(run) from unnest(counted.nameless) run
      where lower(run) <= greatest(upper(counted.heard), upper(former.heard), former.announced + 1, 1)
    ), '{}') as heard,
    counted.partial, 0 as announced, ${NONE} as declared,
    not counted.is_wild
      and coalesce(upper(counted.heard) - coalesce(upper(former.heard), upper(unnamed.heard), 1), 0) <= ${MOST_MISSING} as is_trusted
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
  insert into sender_sequences as stored (session_id, sender, q, identity, heard, partial, last_at, is_trusted, next_at)
  select
    judged.session_id, judged.sender, judged.q, judged.identity,
    case when judged.is_trusted then judged.heard else '{}' end,
    case when judged.is_trusted then judged.partial - judged.heard else '{}' end,
    judged.last_at, judged.is_trusted,
    case
      when judged.is_trusted and judged.sender <> '' and ${missingIn('judged')} <> '{}'
      then now() + $4::int * interval '1 ms'
    end
  from judged
  order by judged.session_id, judged.sender, judged.q
  on conflict (session_id, sender, q) do update set
    identity = coalesce(excluded.identity, stored.identity),
    heard = case when ${IS_TRUSTED} then ${HEARD} else stored.heard end,
    partial = case when ${IS_TRUSTED} then ${PARTIAL} else stored.partial end,
    last_at = greatest(stored.last_at, excluded.last_at),
    is_trusted = ${IS_TRUSTED},
    missing_from = case when stored.next_at is null then stored.last_at else stored.missing_from end,
    next_at = case
      when not ${IS_TRUSTED} or stored.sender = '' then null
      when stored.next_at is not null then stored.next_at
      when ${missingIn('stored', { heard: HEARD, partial: PARTIAL })} <> '{}' then now() + $4::int * interval '1 ms'
    end
  returning 1
), ${movedSessions(SEQUENCE_FOLLOWER_ID)}
select (select count(*)::int from folded) as folded, (select count(*)::int from moved) as moved`;
