import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type ErasureScope, isUnacknowledged } from './erasures.ts';
import type { ForgottenScope } from './late-messages.ts';

export function hasErasures(recorder: string): string {
  return `exists (
  select from erasures erasure
  where erasure.status <> 'done'
    and ${isUnacknowledged(recorder)}
)`;
}

export const LIST_ERASURES_FOR_RECORDER = statement<
  [recorderId: string, limit: number],
  ErasureScope & { readonly id: string; readonly requestedAt: string }
>(
  'list_erasures_for_recorder',
  `
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
limit $2`,
);

export async function listErasuresForRecorder(
  database: DatabaseAccess,
  recorderId: string,
): Promise<ForgottenScope[]> {
  const rows = await LIST_ERASURES_FOR_RECORDER.run(database, recorderId, 100);
  return rows.map((row) => ({ ...row, requestedAt: Date.parse(isoFromText(row.requestedAt)) }));
}

export const ACKNOWLEDGE_ERASURES = statement<[recorderId: string, ids: readonly string[]]>(
  'acknowledge_erasures',
  `
insert into erasure_acknowledgements (erasure_id, recorder_id)
select erasure.id, $1::uuid
from erasures erasure
where erasure.id = any ($2::uuid[])
on conflict do nothing`,
);

/** Notes that a recorder holds nothing any more of what these erasures name. */
export async function acknowledgeErasures(
  database: DatabaseAccess,
  recorderId: string,
  ids: readonly string[],
): Promise<void> {
  await ACKNOWLEDGE_ERASURES.run(database, recorderId, ids);
}
