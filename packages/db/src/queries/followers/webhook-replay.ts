import { nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_PROJECT } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import { type ChangedWebhook, HOST } from './webhook-changes.ts';

/** Of a deleted session a webhook gets only its events. */
const TAKES_EVENTS = `exists (
  select from webhooks hook
  where hook.id = follower.id
    and (hook.events = '{}' or exists (select from unnest(hook.events) type where type ~ '^(session|agent)[.]'))
)`;

/**
 * A webhook keeps no position in a deleted session of which it has sent everything, and has none where nothing was stored
 * since its `from`. A session that is named is sent even if it was deleted before. Returns the number of positions that were
 * missing. A position that another writer inserts meanwhile is set back too.
 */
export const MARK_FOR_REPLAY = statement(
  'mark_for_replay',
  (id: string, sessionId: string | null, since: string) => [id, sessionId, since],
  rowCount,
)`
insert into follower_positions as stored (follower_id, session_id, position, wanted)
select follower.id, found.session_id, $3::timestamptz, found.last_at
from followers follower
cross join lateral (
  select event.session_id, event.seen_at as last_at
  from session_events event
  where event.project_id = follower.project_id
    and event.type = 'session.deleted'
    and ${TAKES_EVENTS}
    and event.seen_at > greatest($3::timestamptz, case when $2::uuid is null then follower.starts_at end)
    and ($2::uuid is null or event.session_id = $2)
  union all
  select head.session_id, head.last_at
  from sessions session
  join session_heads head on head.session_id = session.id
  where session.id = $2
    and session.project_id = follower.project_id
    and head.last_at > $3::timestamptz
) found
where follower.id = $1
order by found.session_id
on conflict (follower_id, session_id) do update set
  position = excluded.position,
  claim = stored.claim + 1
where stored.position > excluded.position`;

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
    const replayed = await REPLAY_FOLLOWER(transaction, id, sessionId, since);
    const count = replayed + (await MARK_FOR_REPLAY(transaction, id, sessionId, since));
    await NOTE_REPLAYED_WEBHOOK(transaction, id, by, sessionId, since, count);
    return count;
  });
}
