import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { forgetEndUser } from '../accounts/end-users.ts';
import { auditText } from '../operations/audit-events.ts';
import { eraseSession } from './erasure-work.ts';
import type { RequestedErasure } from './erasures.ts';
import { hashedIdentity, isHashedIdentity } from './late-messages.ts';

export interface EarlierErasure extends RequestedErasure {
  readonly requestedAt: string;
}

// Stores the erasure even of a missing message, which must not be stored when it comes late or is sent again.
export const INSERT_ERASURE_AGAIN = statement(
  'insert_erasure_again',
  (erasure: EarlierErasure) => [
    erasure.id,
    erasure.projectId,
    erasure.sessionId,
    erasure.messageIds,
    erasure.identity,
    erasure.userId,
    erasure.requestedBy,
    erasure.requestedAt,
  ],
  allRows<{ readonly hasProject: boolean; readonly isInserted: boolean }>,
)`
with project as (
  select id from projects where id = $2 and deleted_at is null
), requested as (
  insert into erasures (id, project_id, session_id, message_ids, identity, user_id, requested_by, requested_at)
  select $1::uuid, project.id, $3::uuid, $4::uuid[], $5, $6::uuid, $7::uuid, $8::timestamptz
  from project
  on conflict (id) do nothing
  returning id, project_id
), audited as (${auditText('erasure.requested', {
  project: 'project_id',
  actor: 'null',
  target: 'id',
  from: 'requested',
})}
)
select
  exists (select from project) as "hasProject",
  exists (select from requested) as "isInserted"`;

export const LIST_SENDERS = statement(
  'list_senders',
  (sessionId: string) => [sessionId],
  allRows<{ readonly identity: string }>,
)`
select distinct sender.identity
from messages message
cross join lateral (
  select message.metadata #>> '{participant,identity}'
  union all
  select jsonb_array_elements_text(
    case when jsonb_typeof(message.metadata -> 'candidates') = 'array' then message.metadata -> 'candidates' else '[]' end
  )
  union all
  select case when message.kind = 'recording_gap' then message.metadata ->> 'identity' end
) sender (identity)
where message.session_id = $1
  and sender.identity is not null`;

/**
 * Stores an erasure again that a restore of the database has lost, and forgets its end user or deletes its session.
 * Erasures of other kinds continue as after a request. Returns `known` when the erasure is stored already, and
 * `no_project` when its project is missing.
 */
export async function insertErasureAgain(
  database: DatabaseAccess,
  erasure: EarlierErasure,
): Promise<'inserted' | 'known' | 'no_project'> {
  const { id, projectId, sessionId, messageIds, userId, requestedBy } = erasure;
  const identity = await identityOf(database, erasure);
  return await inTransaction(database, async (transaction) => {
    const [stored] = await INSERT_ERASURE_AGAIN(transaction, { ...erasure, identity });
    if (!stored?.hasProject) return 'no_project';
    if (!stored.isInserted) return 'known';
    if (userId !== null) await forgetEndUser(transaction, { id: userId, projectId });
    const isWholeSession = sessionId !== null && messageIds === null && identity === null;
    if (isWholeSession) await eraseSession(transaction, { id, sessionId, requestedBy });
    return 'inserted';
  });
}

async function identityOf(
  database: DatabaseAccess,
  { id, sessionId, identity }: EarlierErasure,
): Promise<string | null> {
  if (sessionId === null || identity === null || !isHashedIdentity(identity)) return identity;
  const senders = await LIST_SENDERS(database, sessionId);
  const found = senders.find((sender) => hashedIdentity(id, sender.identity) === identity);
  return found?.identity ?? identity;
}

/**
 * Returns how many of the erasures are running, not counting those of whole sessions, and how many messages all of them
 * together have erased.
 */
export const countErasedAgain = statement(
  'count_erased_again',
  (ids: readonly string[]) => [ids],
  ([counts]: { readonly running: number; readonly messages: number }[]) =>
    counts ?? { running: 0, messages: 0 },
)`
select
  count(*) filter (
    where erasure.status = 'running'
      and (erasure.session_id is null or erasure.message_ids is not null or erasure.identity is not null)
  )::int as running,
  coalesce(sum((erasure.counts ->> 'messages')::int), 0)::int as messages
from erasures erasure
where erasure.id = any ($1::uuid[])`;
