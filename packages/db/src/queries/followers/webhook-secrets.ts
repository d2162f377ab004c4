import { allRows, firstRow, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_PROJECT } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import type { SealedVariables } from '../templates/sealed-templates.ts';
import { type ChangedWebhook, HOST } from './webhook-changes.ts';

export interface WebhookTarget extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly content: 'full' | 'none';
  readonly previousUntil: string | null;
  readonly updatedAt: string;
  readonly isFailing: boolean;
}

const TARGET_COLUMNS = `
  hook.id, follower.project_id as "projectId", hook.url, hook.events, hook.content,
  hook.previous_until as "previousUntil", hook.updated_at as "updatedAt", follower.failures > 0 as "isFailing",
  hook.key_id as "keyId", hook.nonce, hook.ciphertext`;

export const listWebhookTargets = statement(
  'list_webhook_targets',
  (ids: readonly string[]) => [ids],
  allRows<WebhookTarget>,
)`
select ${TARGET_COLUMNS}
from webhooks hook
join followers follower on follower.id = hook.id and follower.status = 'active'
where hook.id = any ($1::uuid[])`;

/** Returns the webhook, even a disabled one, without a check of membership. */
export const findWebhookTarget = statement(
  'find_webhook_target',
  (id: string) => [id],
  firstRow<WebhookTarget>,
)`
select ${TARGET_COLUMNS}
from webhooks hook
join followers follower on follower.id = hook.id and follower.status <> 'deleted'
where hook.id = $1`;

export const ROTATE_WEBHOOK_SECRET = statement(
  'rotate_webhook_secret',
  (
    id: string,
    formerNonce: Buffer,
    keyId: string,
    nonce: Buffer,
    ciphertext: Buffer,
    keepHours: number,
    by: string | null,
  ) => [id, formerNonce, keyId, nonce, ciphertext, keepHours, by],
  hasRows,
)`
with hook as (
  update webhooks
  set key_id = $3, nonce = $4, ciphertext = $5, previous_until = now() + $6::int * interval '1 h', updated_at = now()
  where id = $1 and nonce = $2
  returning id, url
), audited as (${auditText('webhook.secret_rotated', {
  project: 'follower.project_id',
  actor: '$7',
  target: 'hook.id',
  detail: `jsonb_build_object('host', ${HOST}, 'keepOldHours', $6::int)`,
  from: 'hook join followers follower on follower.id = hook.id',
})}
)
select from hook`;

/** Replaces the sealed secrets. Returns false if they were replaced since `formerNonce` was read. */
export async function rotateWebhookSecret(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
  formerNonce: Buffer,
  { keyId, nonce, ciphertext }: SealedVariables,
  keepHours: number,
): Promise<boolean> {
  const sealed = [keyId, nonce, ciphertext] as const;
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    return await ROTATE_WEBHOOK_SECRET(transaction, id, formerNonce, ...sealed, keepHours, by);
  });
}

export const listWebhooksOfKeys = statement(
  'list_webhooks_of_keys',
  (keyIds: readonly string[]) => [keyIds],
  allRows<WebhookTarget>,
)`
select ${TARGET_COLUMNS}
from webhooks hook
cross join lateral (select project_id, failures from followers where id = hook.id limit 1) follower
where hook.key_id = any ($1::text[])`;

export const resealWebhook = statement(
  'reseal_webhook',
  (id: string, formerNonce: Buffer, { keyId, nonce, ciphertext }: SealedVariables) => [
    id,
    formerNonce,
    keyId,
    nonce,
    ciphertext,
  ],
  nothing,
)`
update webhooks set key_id = $3, nonce = $4, ciphertext = $5 where id = $1 and nonce = $2`;
