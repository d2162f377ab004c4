import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_PROJECT } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import type { SealedVariables } from '../templates/sealed-templates.ts';
import { LONGEST_LEASE } from './follower-claims.ts';
import { isGivenUp, tellDeadText } from './webhook-notices.ts';

export interface StoredWebhook extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly content: 'full' | 'none';
  readonly createdBy: string;
  /** What is stored until then is not sent; null: until now. */
  readonly startsAt: string | null;
}

export interface ChangedWebhook {
  readonly id: string;
  readonly projectId: string;
  readonly by: string | null;
}

export const INSERT_WEBHOOK_FOLLOWER = statement<
  [id: string, projectId: string, startsAt: string | null, limit: number]
>(
  'insert_webhook_follower',
  `
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
returning 1`,
);

/** The rest of a URL may be a secret. */
export const HOST = `substring(hook.url from '://([^/?#]+)')`;

export const INSERT_WEBHOOK = statement<
  [
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
  ]
>(
  'insert_webhook',
  `
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
select from hook`,
);

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
    await LOCK_PROJECT.run(transaction, projectId);
    const inserted = await INSERT_WEBHOOK_FOLLOWER.run(transaction, id, projectId, startsAt, limit);
    if (inserted.length === 0) return false;
    await INSERT_WEBHOOK.run(transaction, id, ...settings, keyId, nonce, ciphertext, projectId);
    return true;
  });
}

export const CHANGE_WEBHOOK = statement<
  [
    id: string,
    url: string | null,
    description: string | null,
    events: readonly string[] | null,
    content: string | null,
  ]
>(
  'change_webhook',
  `
update webhooks
set url = coalesce($2, url), description = coalesce($3, description), events = coalesce($4::text[], events),
  content = coalesce($5, content), updated_at = now()
where id = $1
  and (url, description, events, content) is distinct from
    (coalesce($2, url), coalesce($3, description), coalesce($4::text[], events), coalesce($5, content))
returning 1`,
);

export const LOCK_FOLLOWER = statement<
  [id: string, updatedAt: string | null],
  { readonly status: 'active' | 'disabled' }
>(
  'lock_follower',
  `
select status from followers
where id = $1
  and status <> 'deleted'
  and ($2::timestamptz is null or exists (select from webhooks where id = $1 and updated_at = $2::timestamptz))
for no key update`,
);

export const SET_FOLLOWER_STATUS = statement<[id: string, status: string]>(
  'set_follower_status',
  `
update followers
set status = $2, failures = 0, failing_since = null, retry_at = null
where id = $1
  and (status <> $2 or failures > 0)
returning 1`,
);

export const REVIVE_FOLLOWER = statement<[id: string]>(
  'revive_follower',
  `
update follower_positions
set dead_at = null, attempts = 0, failing_since = null, failure = null, next_attempt_at = now()
where follower_id = $1
  and (dead_at is not null or (wanted > position and next_attempt_at > now() + ${LONGEST_LEASE}))
returning 1`,
);

export const NOTE_CHANGED_WEBHOOK = statement<[id: string, by: string | null, detail: string]>(
  'note_changed_webhook',
  auditText('webhook.changed', {
    project: 'follower.project_id',
    actor: '$2',
    target: 'hook.id',
    detail: `jsonb_build_object('host', ${HOST}) || $3::text::jsonb`,
    from: 'webhooks hook join followers follower on follower.id = hook.id where hook.id = $1',
  }),
);

/**
 * Changes what is given. `active` also tries again at once what waits and what was given up. Returns false when the
 * webhook has been deleted.
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
  const { url = null, description = null, events = null, content = null, status } = change;
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT.run(transaction, projectId);
    const [former] = await LOCK_FOLLOWER.run(transaction, id, null);
    if (!former) return false;
    const changes = [await CHANGE_WEBHOOK.run(transaction, id, url, description, events, content)];
    if (status !== undefined) changes.push(await SET_FOLLOWER_STATUS.run(transaction, id, status));
    if (status === 'active') changes.push(await REVIVE_FOLLOWER.run(transaction, id));
    if (changes.every(({ length }) => length === 0)) return true;
    const detail = status !== undefined && status !== former.status ? { status } : {};
    await NOTE_CHANGED_WEBHOOK.run(transaction, id, by, JSON.stringify(detail));
    return true;
  });
}

export const TELL_DISABLED_WEBHOOK = statement<[id: string, failure: string | null]>(
  'tell_disabled_webhook',
  `
with dead as (
  select hook.id, follower.project_id, ${HOST} as host, null::uuid as session_id, $2::text as failure
  from webhooks hook
  join followers follower on follower.id = hook.id
  where hook.id = $1 and not ${isGivenUp('hook.id')}
), ${tellDeadText('dead')}
select from dead`,
);

/**
 * Disables a webhook that cannot be reached any more, and tells the other webhooks unless they know. Returns false when
 * it was changed since `updatedAt`.
 */
export async function disableFailingWebhook(
  database: DatabaseAccess,
  { id, projectId, updatedAt }: { id: string; projectId: string; updatedAt: string },
  failure: string | null,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT.run(transaction, projectId);
    const [former] = await LOCK_FOLLOWER.run(transaction, id, updatedAt);
    if (!former) return false;
    await SET_FOLLOWER_STATUS.run(transaction, id, 'disabled');
    if (former.status === 'disabled') return true;
    await NOTE_CHANGED_WEBHOOK.run(transaction, id, null, JSON.stringify({ status: 'disabled' }));
    await TELL_DISABLED_WEBHOOK.run(transaction, id, failure);
    return true;
  });
}

export const MARK_WEBHOOK_DELETED = statement<[id: string, by: string | null]>(
  'mark_webhook_deleted',
  `
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
select from marked`,
);

/** Hides a webhook, to which nothing is sent any more. Returns false when it has been deleted. */
export async function deleteWebhook(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT.run(transaction, projectId);
    return (await MARK_WEBHOOK_DELETED.run(transaction, id, by)).length === 1;
  });
}
