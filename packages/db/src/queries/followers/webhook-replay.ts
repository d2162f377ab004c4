import { firstRow, nothing, onlyRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inLockedProject } from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import { type ChangedWebhook, HOST } from './webhook-changes.ts';

/** Whether the webhook takes events. Only the events of a deleted session are sent, not its messages. */
const TAKES_EVENTS = `exists (
  select from webhooks hook
  where hook.id = follower.id
    and (hook.events = '{}' or exists (select from unnest(hook.events) type where type ~ '^(session|agent)[.]'))
)`;

const IS_REPLAYED = `follower_id = $1
  and ($2::uuid is null or session_id = $2)
  and (wanted > $3::timestamptz or dead_at is not null)`;

/**
 * The sessions to be replayed that may lack a position: a webhook keeps none in a deleted session of which it has sent
 * everything, and has none where nothing was stored since its `from`. A session that is named is sent even if it was
 * deleted before that time.
 */
const UNMARKED = `
select follower.id as follower_id, found.session_id, found.last_at
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
where follower.id = $1`;

export const COUNT_REPLAYED = statement(
  'count_replayed',
  (id: string, sessionId: string | null, since: string) => [id, sessionId, since],
  onlyRow<{ readonly count: number }>,
)`
select count(*)::int as count from (
  select session_id from follower_positions where ${IS_REPLAYED}
  union
  select unmarked.session_id from (${UNMARKED}) unmarked
) replayed`;

/**
 * Inserts the positions that are missing. `REPLAY_FOLLOWER` then sets back any position that another writer inserts
 * meanwhile.
 */
export const MARK_FOR_REPLAY = statement(
  'mark_for_replay',
  (id: string, sessionId: string | null, since: string) => [id, sessionId, since],
  nothing,
)`
insert into follower_positions (follower_id, session_id, position, wanted)
select unmarked.follower_id, unmarked.session_id, $3::timestamptz, unmarked.last_at
from (${UNMARKED}) unmarked
order by unmarked.session_id
on conflict (follower_id, session_id) do nothing`;

export const LEAST_SESSION = '00000000-0000-0000-0000-000000000000';

/** How many positions one transaction sets back. Marks for all webhooks wait for its locks. */
const REPLAYED_AT_ONCE = 1000;

export const REPLAY_FOLLOWER = statement(
  'replay_follower',
  (id: string, sessionId: string | null, since: string, after: string) => [
    id,
    sessionId,
    since,
    after,
  ],
  firstRow<{ readonly last: string }>,
)`
with locked as materialized (
  select session_id from follower_positions
  where ${IS_REPLAYED}
    and session_id > $4
    -- Without those that were just inserted for the replay.
    and (claim > 0 or position > $3::timestamptz or dead_at is not null)
  -- In the order in which marks lock them.
  order by session_id
  -- Not a constant: see session-search.ts.
  limit (select ${REPLAYED_AT_ONCE})
  for no key update
), replayed as (
  update follower_positions
  set position = least(position, $3::timestamptz), claim = claim + 1, attempts = 0, failing_since = null, failure = null,
    dead_at = null, next_attempt_at = now()
  where follower_id = $1 and session_id = any (array(select locked.session_id from locked))
)
select session_id as last from locked order by session_id desc limit 1`;

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

export interface ReplayRun {
  /** Runs a transaction that locks the project, and may throw to refuse the replay. */
  readonly inProject: (work: (transaction: DatabaseAccess) => Promise<unknown>) => Promise<unknown>;
  /** Runs each step of the replay, which is one transaction. */
  readonly inTurn: <Result>(step: () => Promise<Result>) => Promise<Result>;
}

/**
 * Sets the positions of a webhook back to `since`, in one session or in all, and retries what was given up. Claims end. Returns
 * in how many sessions there is something to send. The transaction of `inProject` only stores the audit event. The positions
 * are then set back in batches, each in a transaction. After a crash, the next replay does the rest.
 */
export async function replayWebhook(
  database: DatabaseAccess,
  { id, projectId, by }: ChangedWebhook,
  { sessionId, since }: { sessionId: string | null; since: string },
  {
    inProject = (work) => inLockedProject(database, projectId, work),
    inTurn = (step) => step(),
  }: Partial<ReplayRun> = {},
): Promise<number> {
  const replayed = [id, sessionId, since] as const;
  const { count } = await inTurn(() => COUNT_REPLAYED(database, ...replayed));
  const note = (transaction: DatabaseAccess) =>
    NOTE_REPLAYED_WEBHOOK(transaction, id, by, sessionId, since, count);
  await inTurn(() => inProject(note));
  await inTurn(() => MARK_FOR_REPLAY(database, ...replayed));
  let after: string | undefined = LEAST_SESSION;
  while (after !== undefined) {
    const from: string = after;
    const batch = await inTurn(() => REPLAY_FOLLOWER(database, ...replayed, from));
    after = batch?.last;
  }
  return count;
}
