import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { markMoved } from '../followers/follower-marking.ts';
import { BATCH_SIZE } from './deleted-rows.ts';

const MAX_STATEMENTS = 50;

interface DeletionLimits {
  readonly batchSize?: number;
  readonly maxStatements?: number;
}

export async function deleteWebhookRows(
  { database }: Deps,
  { batchSize = BATCH_SIZE, maxStatements = MAX_STATEMENTS }: DeletionLimits = {},
): Promise<string[]> {
  let [webhooks, positions, deliveries] = [0, 0, 0];
  let isFull = true;
  for (let number = 0; number < maxStatements && isFull; number += 1) {
    const gone = await db.deleteGoneWebhooks(database, batchSize);
    const old = await db.deleteOldDeliveries(database, batchSize);
    webhooks += gone.webhooks;
    positions += gone.positions;
    deliveries += gone.deliveries + old;
    isFull = Math.max(gone.positions, gone.deliveries, old) === batchSize;
  }
  const isNone = webhooks + positions + deliveries === 0;
  return isNone ? [] : [`${webhooks} webhooks, ${positions} positions, ${deliveries} deliveries`];
}

/**
 * Marks the sessions with stored messages that were never notified, because a writer ended between its commit and its
 * notification. Receipts of erasures rely on this (`UNKNOWN_MS` in packages/db).
 */
export async function markUnnamedSessions(
  { database }: Deps,
  stop?: AbortSignal,
): Promise<string[]> {
  const count = await markMoved(database, stop);
  return count > 0 ? [`${count} sessions`] : [];
}

/** Seals the secrets of webhooks with the current key if a former key has sealed them. Skips secrets that no key opens. */
export async function resealWebhooks({ database, vault }: Deps): Promise<string[]> {
  const keyIds = vault.formerKeyIds;
  const webhooks = keyIds.length > 0 ? await db.listWebhooksOfKeys(database, keyIds) : [];
  const resealed: string[] = [];
  for (const webhook of webhooks) {
    const secrets = vault.open(webhook);
    if (!secrets) continue;
    const { id, nonce } = webhook;
    await db.resealWebhook(database, id, nonce, vault.seal(secrets, webhook));
    resealed.push(id);
  }
  return resealed;
}
