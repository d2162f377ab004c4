import { nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { type ErasureScope, isUnacknowledged } from './erasures.ts';

export function hasErasures(recorder: string): string {
  return `exists (
  select from erasures erasure
  where erasure.status <> 'done'
    and ${isUnacknowledged(recorder)}
)`;
}

/**
 * Returns up to 100 open erasures that a recorder has not acknowledged: the oldest of each project, in any order, then
 * the second of each, and so on. A recorder asks again while it still holds something that they name.
 */
export const listErasuresForRecorder = statement(
  'list_erasures_for_recorder',
  (recorderId: string) => [recorderId, 100],
  (rows: (ErasureScope & { readonly id: string; readonly requestedAt: string })[]) =>
    rows.map((row) => ({ ...row, requestedAt: Date.parse(row.requestedAt) })),
)`
select
  erasure.id,
  erasure.session_id as "sessionId",
  erasure.message_ids as "messageIds",
  erasure.identity,
  erasure.user_id as "userId",
  erasure.requested_at as "requestedAt"
from (
  select erasure.*, row_number() over (partition by erasure.project_id order by erasure.id) as turn
  from erasures erasure
  where erasure.status <> 'done'
    and ${isUnacknowledged('$1')}
) erasure
order by erasure.turn, random()
limit $2`;

/** Notes that a recorder no longer holds anything that these erasures name. */
export const acknowledgeErasures = statement(
  'acknowledge_erasures',
  (recorderId: string, ids: readonly string[]) => [recorderId, ids],
  nothing,
)`
insert into erasure_acknowledgements (erasure_id, recorder_id)
select erasure.id, $1::uuid
from erasures erasure
where erasure.id = any ($2::uuid[])
on conflict do nothing`;
