import { allRows, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_PROJECT } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import type { SealedVariables } from '../templates/sealed-templates.ts';
import { IS_WAITING } from './follower-claims.ts';
import { isGivenUp, tellDeadText } from './webhook-notices.ts';

export interface StoredWebhook extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly content: 'full' | 'none';
  readonly createdBy: string;
  /** Versions and events up to this time are not sent; null: up to now. */
  readonly startsAt: string | null;
}

export interface ChangedWebhook {
  readonly id: string;
  readonly projectId: string;
  readonly by: string | null;
}

export const INSERT_WEBHOOK_FOLLOWER = statement(
  'insert_webhook_follower',
  (id: string, projectId: string, startsAt: string | null, limit: number) => [
    id,
    projectId,
    startsAt,
    limit,
  ],
  hasRows,
)`
insert into followers (id, kind, project_id, starts_at)
-- A session's clock is in whole milliseconds: what is stored in the present one is sent.
select $1::uuid, 'webhook', project.id,
  coalesce($3::timestamptz, date_trunc('milliseconds', clock_timestamp()) - interval '1 ms')
from projects project
where project.id = $2
  and project.deleted_at is null
  and $4::int > (
    select count(*) from followers other
    where other.project_id = $2 and other.kind = 'webhook' and other.status <> 'deleted'
  )
returning 1`;

/** Only the host is shown, because the rest of a URL may be a secret. */
export const HOST = `substring(hook.url from '://([^/?#]+)')`;

export const INSERT_WEBHOOK = statement(
  'insert_webhook',
  (
    id: string,
    url: string,
    description: string,
    events: readonly string[],
    content: string,
    createdBy: string,
    keyId: string,
    nonce: Buffer,
    ciphertext: Buffer,
    projectId: string,
  ) => [id, url, description, events, content, createdBy, keyId, nonce, ciphertext, projectId],
  nothing,
)`
with hook as (
  insert into webhooks (id, url, description, events, content, created_by, key_id, nonce, ciphertext)
  values ($1, $2, $3, $4::text[], $5, $6, $7, $8, $9)
  returning id, url, created_by
), audited as (${auditText('webhook.created', {
  project: '$10::uuid',
  actor: 'hook.created_by',
  target: 'hook.id',
  detail: `jsonb_build_object('host', ${HOST})`,
  from: 'hook',
})}
)
select from hook`;

/** Stores a webhook; returns false when the project has `limit` of them, or is deleted. */
export async function insertWebhook(
  database: DatabaseAccess,
  webhook: StoredWebhook,
  limit: number,
): Promise<boolean> {
  const { id, projectId, url, description, events, content, createdBy, startsAt } = webhook;
  const { keyId, nonce, ciphertext } = webhook;
  const settings = [url, description, events, content, createdBy] as const;
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    if (!(await INSERT_WEBHOOK_FOLLOWER(transaction, id, projectId, startsAt, limit))) return false;
    await INSERT_WEBHOOK(transaction, id, ...settings, keyId, nonce, ciphertext, projectId);
    return true;
  });
}

export const CHANGE_WEBHOOK = statement(
  'change_webhook',
  (
    id: string,
    url: string | null,
    description: string | null,
    events: readonly string[] | null,
    content: string | null,
  ) => [id, url, description, events, content],
  allRows<{ readonly isMoved: boolean }>,
)`
update webhooks
set url = coalesce($2, url), description = coalesce($3, description), events = coalesce($4::text[], events),
  content = coalesce($5, content), updated_at = now()
where id = $1
  and (url, description, events, content) is distinct from
    (coalesce($2, url), coalesce($3, description), coalesce($4::text[], events), coalesce($5, content))
returning old.url <> new.url as "isMoved"`;

export const LOCK_FOLLOWER = statement(
  'lock_follower',
  (id: string, updatedAt: string | null) => [id, updatedAt],
  allRows<{ readonly status: 'active' | 'disabled' }>,
)`
select status from followers
where id = $1
  and status <> 'deleted'
  and ($2::timestamptz is null or exists (select from webhooks where id = $1 and updated_at = $2::timestamptz))
for no key update`;

export const SET_FOLLOWER_STATUS = statement(
  'set_follower_status',
  (id: string, status: string) => [id, status],
  hasRows,
)`
update followers
set status = $2, failures = 0, failing_since = null, retry_at = null
where id = $1
  and (status <> $2 or failures > 0)
returning 1`;

const IS_UNSENT = `wanted > position and dead_at is null and ${IS_WAITING}`;

// Each part of `found` reads an index of only such rows, because the webhook may have a million positions. Locks the rows in
// the order in which marks lock them.
export const REVIVE_FOLLOWER = statement('revive_follower', (id: string) => [id], hasRows)`
with found as materialized (
  select session_id from follower_positions where follower_id = $1 and dead_at is not null
  union all
  select session_id from follower_positions where follower_id = $1 and ${IS_UNSENT}
), locked as materialized (
  select session_id from follower_positions
  where follower_id = $1
    and session_id = any (array(select found.session_id from found))
    and (dead_at is not null or ${IS_UNSENT})
  order by session_id
  for no key update
), revived as (
  update follower_positions
  set dead_at = null, attempts = 0, failing_since = null, failure = null, next_attempt_at = now()
  where follower_id = $1 and session_id = any (array(select locked.session_id from locked))
  returning 1
)
select where exists (select from revived)`;

export const NOTE_CHANGED_WEBHOOK = statement(
  'note_changed_webhook',
  (id: string, by: string | null, detail: string) => [id, by, detail],
  nothing,
)`${auditText('webhook.changed', {
  project: 'follower.project_id',
  actor: '$2',
  target: 'hook.id',
  detail: `jsonb_build_object('host', ${HOST}) || $3::text::jsonb`,
  from: 'webhooks hook join followers follower on follower.id = hook.id where hook.id = $1',
})}`;

/**
 * Changes the given fields. `active` also retries at once what waits and what was given up. Another URL of an active webhook
 * does the same, because the failures belong to the former URL. Returns false when the webhook has been deleted.
 */
export async function changeWebhook(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
  change: {
    url?: string | undefined;
    description?: string | undefined;
    events?: readonly string[] | undefined;
    content?: string | undefined;
    status?: 'active' | 'disabled' | undefined;
  },
): Promise<boolean> {
  const { url = null, description = null, events = null, content = null } = change;
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    const [former] = await LOCK_FOLLOWER(transaction, id, null);
    if (!former) return false;
    const [changed] = await CHANGE_WEBHOOK(transaction, id, url, description, events, content);
    const status = change.status ?? (changed?.isMoved === true ? former.status : undefined);
    const changes = [changed !== undefined];
    if (status !== undefined) changes.push(await SET_FOLLOWER_STATUS(transaction, id, status));
    if (status === 'active') changes.push(await REVIVE_FOLLOWER(transaction, id));
    if (!changes.includes(true)) return true;
    const detail = status !== undefined && status !== former.status ? { status } : {};
    await NOTE_CHANGED_WEBHOOK(transaction, id, by, JSON.stringify(detail));
    return true;
  });
}

export const TELL_DISABLED_WEBHOOK = statement(
  'tell_disabled_webhook',
  (id: string, failure: string | null) => [id, failure],
  nothing,
)`
with dead as (
  select hook.id, follower.project_id, ${HOST} as host, null::uuid as session_id, $2::text as failure
  from webhooks hook
  join followers follower on follower.id = hook.id
  where hook.id = $1 and not ${isGivenUp('hook.id')}
), ${tellDeadText('dead')}
select from dead`;

/**
 * Disables a webhook whose receiver is gone or keeps refusing, and sends the other webhooks a notice unless they have one
 * already. Returns false when it was disabled before, for example by another of its sessions, or changed since `updatedAt`.
 */
export async function disableFailingWebhook(
  database: DatabaseAccess,
  { id, projectId, updatedAt }: { id: string; projectId: string; updatedAt: string },
  failure: string | null,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    const [former] = await LOCK_FOLLOWER(transaction, id, updatedAt);
    if (!former) return false;
    await SET_FOLLOWER_STATUS(transaction, id, 'disabled');
    if (former.status === 'disabled') return false;
    await NOTE_CHANGED_WEBHOOK(transaction, id, null, JSON.stringify({ status: 'disabled' }));
    await TELL_DISABLED_WEBHOOK(transaction, id, failure);
    return true;
  });
}

export const MARK_WEBHOOK_DELETED = statement(
  'mark_webhook_deleted',
  (id: string, by: string | null) => [id, by],
  hasRows,
)`
with marked as (
  update followers set status = 'deleted' where id = $1 and status <> 'deleted' returning id, project_id
), audited as (${auditText('webhook.deleted', {
  project: 'marked.project_id',
  actor: '$2',
  target: 'hook.id',
  detail: `jsonb_build_object('host', ${HOST})`,
  from: 'marked join webhooks hook on hook.id = marked.id',
})}
)
select from marked`;

export async function deleteWebhook(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    return await MARK_WEBHOOK_DELETED(transaction, id, by);
  });
}
