import { nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_PROJECT } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import { type ChangedWebhook, HOST } from './webhook-changes.ts';

export const REPLAY_FOLLOWER = statement(
  'replay_follower',
  (id: string, sessionId: string | null, since: string) => [id, sessionId, since],
  rowCount,
)`
update follower_positions
set position = least(position, $3::timestamptz), claim = claim + 1, attempts = 0, failing_since = null, failure = null,
  dead_at = null, next_attempt_at = now()
where follower_id = $1
  and ($2::uuid is null or session_id = $2)
  and (wanted > $3::timestamptz or dead_at is not null)`;

export const NOTE_REPLAYED_WEBHOOK = statement(
  'note_replayed_webhook',
  (id: string, by: string | null, sessionId: string | null, since: string, sessions: number) => [
    id,
    by,
    sessionId,
    since,
    sessions,
  ],
  nothing,
)`${auditText('webhook.replayed', {
  project: 'follower.project_id',
  actor: '$2',
  target: 'hook.id',
  detail: `jsonb_strip_nulls(jsonb_build_object(
      'host', ${HOST}, 'since', $4::text, 'sessionId', $3::uuid, 'sessions', $5::int))`,
  from: 'webhooks hook join followers follower on follower.id = hook.id where hook.id = $1',
})}`;

/**
 * Sets the positions of a webhook back to `since`, in one session or in all, and retries what was given up. Claims end.
 * Returns in how many sessions there is something to send.
 */
export async function replayWebhook(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
  { sessionId, since }: { sessionId: string | null; since: string },
): Promise<number> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    const count = await REPLAY_FOLLOWER(transaction, id, sessionId, since);
    await NOTE_REPLAYED_WEBHOOK(transaction, id, by, sessionId, since, count);
    return count;
  });
}
