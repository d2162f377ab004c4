import { firstRow, hasRows, nothing, onlyRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { isAlive } from '../recorder-liveness.ts';
import { markSessionDeleted } from '../sessions/deletions.ts';
import { DIGEST, NEXT_STATUS, type ReadErasure } from './erasure-passes.ts';
import {
  AFTER_REQUEST,
  isUnacknowledged,
  REQUEST_COLUMNS,
  type RequestedErasure,
} from './erasures.ts';

/**
 * Where a search in the sessions of a project continues: behind `after` in `sessionId`, then in sessions that were created
 * later.
 */
export interface ErasurePlace {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly after: string;
}

export interface OpenErasure extends RequestedErasure, ReadErasure {
  readonly until: string;
  readonly place: ErasurePlace | null;
  readonly hasDigest: boolean;
}

/** Longer than the time after which a message counts as late. */
const SETTLED_AFTER = `interval '3 s'`;

export const IS_WHOLE_SESSION =
  '(erasure.message_ids is null and erasure.identity is null and erasure.user_id is null)';

const EARLY_ATTEMPTS = 3;

/**
 * Returns up to `limit` erasures that can continue: the first of each project, in any order, then the second of each, and so
 * on. First in a project are whole sessions that can still be read, unless their deletion keeps failing: they take one
 * transaction, and others may take hours. The others follow by their number of failures; among equals, whole sessions come
 * last, and older erasures before newer ones. An erasure that is `waiting` continues when every living recorder has
 * acknowledged it, at the earliest 3 s after the request. By then, messages that are still under way count as late
 * (`withoutErased`).
 */
export const listOpenErasures = statement(
  'list_open_erasures',
  (limit: number) => [limit],
  (rows: (Omit<OpenErasure, 'place'> & { readonly place: string | null })[]): OpenErasure[] =>
    rows.map((row) => ({
      ...row,
      place: row.place === null ? null : JSON.parse(row.place),
    })),
)`
select ${REQUEST_COLUMNS},
  erasure.status,
  erasure.counts -> 'place' as place,
  -- The former release, and a repeat after a restore, store no time.
  coalesce((erasure.counts ->> 'until')::timestamptz(3), erasure.requested_at + ${AFTER_REQUEST}) as until,
  erasure.digest is not null as "hasDigest"
from (
  select erasure.*, row_number() over (
    partition by erasure.project_id
    order by
      ${IS_WHOLE_SESSION} and erasure.digest is null and erasure.attempts < ${EARLY_ATTEMPTS} desc,
      erasure.attempts,
      ${IS_WHOLE_SESSION},
      erasure.id
  ) as turn
  from erasures erasure
  where erasure.status <> 'done'
    and (erasure.status = 'running' or (
      erasure.requested_at < now() - ${SETTLED_AFTER} and not exists (
        select from recorders living
        where ${isAlive('living')} and ${isUnacknowledged('living.id')}
      )
    ))
) erasure
order by erasure.turn, erasure.attempts, random()
limit $1`;

export interface ErasureFigures {
  readonly running: number;
  readonly waiting: number;
  readonly seconds: number;
}

export const countErasures = statement('count_erasures', () => [], onlyRow<ErasureFigures>)`
select
  count(*) filter (where status = 'running')::int as running,
  count(*) filter (where status = 'waiting')::int as waiting,
  coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as seconds
from erasures
where status <> 'done'`;

export const noteErasureFailure = statement('note_erasure_failure', (id: string) => [id], nothing)`
update erasures set attempts = attempts + 1 where id = $1`;

export const noteErasurePlace = statement(
  'note_erasure_place',
  ({ id, status }: ReadErasure, place: ErasurePlace) => [id, status, JSON.stringify(place)],
  nothing,
)`
update erasures set counts = counts || jsonb_build_object('place', $3::text::jsonb) where id = $1 and status = $2`;

export const findNextSession = statement(
  'find_next_session',
  (projectId: string, { createdAt, sessionId }: Pick<ErasurePlace, 'createdAt' | 'sessionId'>) => [
    projectId,
    createdAt,
    sessionId,
  ],
  firstRow<{ readonly sessionId: string; readonly createdAt: string }>,
)`
select session.id as "sessionId", session.created_at as "createdAt"
from sessions session
where session.project_id = $1
  and (session.created_at, session.id) > ($2::timestamptz, $3::uuid)
order by session.created_at, session.id
limit 1`;

export const NOTE_ERASED_SESSION = statement(
  'note_erased_session',
  (id: string, sessionId: string) => [id, sessionId],
  nothing,
)`
with unindexed as (
  delete from message_search where session_id = $2 returning 1
), undelivered as (
  delete from webhook_deliveries delivery
  using sessions session, followers follower
  where session.id = $2
    and follower.project_id = session.project_id
    and delivery.webhook_id = follower.id
    and delivery.session_id = $2
  returning 1
), found as (
  select ${DIGEST} as digest, count(*)::int as messages
  from messages message where message.session_id = $2
)
update erasures erasure set
  digest = found.digest,
  counts = jsonb_build_object(
    'sessions', 1,
    'messages', found.messages,
    'searchRows', (select count(*) from unindexed),
    'deliveries', (select count(*) from undelivered),
    'agentLogs', (
      select coalesce(sum(log.line_count), 0)
      from agents agent join agent_logs log on log.agent_id = agent.id
      where agent.session_id = $2
    )
  )
from found
where erasure.id = $1 and erasure.digest is null`;

/**
 * Marks a session as deleted for its erasure. Notes the digest of its messages in the same transaction, because the
 * messages are then deleted in batches. A digest that another worker has noted stays.
 */
export async function eraseSession(
  database: DatabaseAccess,
  { id, sessionId, requestedBy }: { id: string; sessionId: string; requestedBy: string },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await markSessionDeleted(transaction, sessionId, requestedBy);
    await NOTE_ERASED_SESSION(transaction, id, sessionId);
  });
}

/**
 * Like `endErasurePass`, for a session, whose digest is known. Before the session's last row is gone, does nothing and
 * returns false.
 */
export const endSessionErasure = statement(
  'end_session_erasure',
  ({ id, status }: ReadErasure) => [id, status],
  hasRows,
)`
update erasures erasure set ${NEXT_STATUS}
where erasure.id = $1 and erasure.status = $2
  and not exists (select from sessions session where session.id = erasure.session_id)
returning 1`;
