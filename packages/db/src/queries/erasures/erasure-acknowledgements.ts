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
from erasures erasure
where erasure.status <> 'done'
  and ${isUnacknowledged('$1')}
order by erasure.id
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
