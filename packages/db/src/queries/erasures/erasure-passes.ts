import { allRows, hasRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { AGENT_LOGS_COUNT, erasedLogsText } from './erased-messages.ts';
import { isVersionLeft } from './erased-versions.ts';
import type { RequestedErasure } from './erasures.ts';
import { hashedIdentity } from './late-messages.ts';

/** An erasure as its worker has read it. Another worker may have moved it to its next status since. */
export interface ReadErasure {
  readonly id: string;
  readonly status: 'running' | 'waiting';
}

export const DIGEST = `encode(sha256(convert_to(coalesce(string_agg(message.id::text, ',' order by message.id), ''), 'UTF8')), 'hex')`;

export const NEXT_STATUS = `
  status = case erasure.status when 'running' then 'waiting' else 'done' end,
  erased_at = coalesce(erasure.erased_at, now()),
  finished_at = case erasure.status when 'waiting' then now() end`;

/**
 * Returns the part of a statement that finds the tombstones of an erasure. Tombstones name their erasure, so the digest is the
 * same after a crash. They became visible after the request, so older messages need not be read.
 */
function tombstonesText(sessions: string): string {
  return `
  from erasures asked
  join sessions session on ${sessions}
  join messages message
    on message.session_id = session.id
    and message.completed_at >= asked.requested_at
    and message.erased_at is not null
    and message.metadata #>> '{erased,erasureId}' = $1::uuid::text
  where asked.id = $1`;
}

const IN_SESSION = 'session.id = asked.session_id';
const IN_PROJECT = 'session.project_id = asked.project_id';

function erasedInText(sessions: string): string {
  return `
select erased."sessionId"
from (select distinct message.session_id as "sessionId"${tombstonesText(sessions)}) erased
where exists (
  select from agents agent join agent_logs log on log.agent_id = agent.id
  where agent.session_id = erased."sessionId" and log.lines <> array_fill(''::text, array[log.line_count])
)`;
}

export const LIST_ERASED_IN_SESSION = statement(
  'list_erased_in_session',
  (id: string) => [id],
  allRows<{ readonly sessionId: string }>,
)`${erasedInText(IN_SESSION)}`;

export const LIST_ERASED_IN_PROJECT = statement(
  'list_erased_in_project',
  (id: string) => [id],
  allRows<{ readonly sessionId: string }>,
)`${erasedInText(IN_PROJECT)}`;

/** Returns the sessions in which the erasure has erased messages, and not yet all that agents have printed. */
export async function listErasedSessions(
  database: DatabaseAccess,
  { id, sessionId }: Pick<RequestedErasure, 'id' | 'sessionId'>,
): Promise<string[]> {
  const list = sessionId === null ? LIST_ERASED_IN_PROJECT : LIST_ERASED_IN_SESSION;
  return (await list(database, id)).map((row) => row.sessionId);
}

/**
 * Returns the text of a statement that also erases logs, because what an agent prints is stored up to a second later.
 * Earlier log rows must have been erased before, in steps.
 */
function endPassText(sessions: string): string {
  return `
with message as materialized (
  select message.session_id, message.id, asked.project_id, asked.requested_at${tombstonesText(sessions)}
), unanswered as (
  -- An attempt may have been noted while its message was being erased.
  update webhook_deliveries delivery set response = ''
  from (select distinct session_id, project_id, requested_at from message) erased, followers follower
  where follower.project_id = erased.project_id
    and delivery.webhook_id = follower.id
    and delivery.session_id = erased.session_id
    and delivery.last_at >= erased.requested_at
    and delivery.response <> ''
    and delivery.type <> 'message.erased'
    and not ${isVersionLeft('delivery.session_id', 'delivery.seen_at')}
), ${erasedLogsText('select distinct message.session_id from message')}
update erasures erasure set
  identity = case erasure.status when 'running' then erasure.identity else $3 end,
  digest = found.digest,
  counts = erasure.counts - 'place' || jsonb_build_object(
    'sessions', found.sessions,
    'messages', found.messages,${AGENT_LOGS_COUNT}
  ),
  ${NEXT_STATUS}
from (
  select
    ${DIGEST} as digest,
    count(distinct message.session_id)::int as sessions,
    count(*)::int as messages
  from message
) found
where erasure.id = $1 and erasure.status = $2
returning 1`;
}

export const END_PASS_IN_SESSION = statement(
  'end_pass_in_session',
  ({ id, status }: ReadErasure, hashed: string | null) => [id, status, hashed],
  hasRows,
)`${endPassText(IN_SESSION)}`;

export const END_PASS_IN_PROJECT = statement(
  'end_pass_in_project',
  ({ id, status }: ReadErasure, hashed: string | null) => [id, status, hashed],
  hasRows,
)`${endPassText(IN_PROJECT)}`;

/**
 * Notes what an erasure has erased, and moves it to its next status: `waiting`, then `done`. A `done` erasure keeps only a
 * hash of the identity. Returns false when the erasure is missing, or another worker has moved it.
 */
export async function endErasurePass(
  database: DatabaseAccess,
  erasure: ReadErasure & Pick<RequestedErasure, 'identity' | 'sessionId'>,
): Promise<boolean> {
  const { id, sessionId, identity } = erasure;
  const end = sessionId === null ? END_PASS_IN_PROJECT : END_PASS_IN_SESSION;
  const hashed = identity === null ? null : hashedIdentity(id, identity);
  return await end(database, erasure, hashed);
}
