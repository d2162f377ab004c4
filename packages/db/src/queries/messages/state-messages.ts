import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { withinBytes } from './page-bytes.ts';

export interface StateMessageRow {
  readonly timestamp: string;
  readonly content: string;
  readonly metadata: string | null;
}

/** The limit for events of plans, and the limit for notifications. Our agents send a few for each step of a plan. */
const MAX_EVENTS = 10_000;

const UP_TO = 'and stored."timestamp" <= $3::timestamptz';

/**
 * Returns the text of a query for the newest events of certain kinds that agents sent. PostgreSQL expects a `case` to match
 * half of the rows, so it reads the index in order: 10,000 small events take some 30 ms.
 */
function eventsOf(kinds: string, limit: string): string {
  return `
    select stored."timestamp", stored.content, stored.metadata
    from messages stored
    where stored.session_id = $1
      and stored.kind in (${kinds})
      ${limit}
      and case
        when jsonb_typeof(stored.metadata #> '{participant,identity}') = 'string'
        then stored.metadata #>> '{participant,kind}' = 'agent'
          or starts_with(stored.metadata #>> '{participant,identity}', 'agent-')
      end
    order by stored."timestamp" desc
    limit ${MAX_EVENTS}`;
}

/** Notifications have a separate limit, so that too many of them do not push the plan out. */
function stateEvents(limit: string): string {
  return `
  (${eventsOf("'complete_todo_list', 'plan_deliverable_update'", limit)})
  union all
  (
    select distinct on (event.metadata #>> '{participant,identity}')
      event."timestamp", event.content, event.metadata
    from (${eventsOf("'state_change_notification'", limit)}) event
    where jsonb_typeof(event.metadata #> '{payload,state}') = 'string'
      -- An interruption is a moment, not a state: see foldState.
      and event.metadata #>> '{payload,state}' not in ('', 'interrupted')
    order by event.metadata #>> '{participant,identity}', event."timestamp" desc
  )`;
}

type RawStateMessage = { readonly timestamp: null } | StateMessageRow;

/**
 * Returns the messages up to `asOf` (ISO 8601) that determine the session's state, within `PAGE_BYTES`: the newest `MAX_EVENTS`
 * events of plans, and the last state that each agent reported in the newest `MAX_EVENTS` notifications. Returns undefined when
 * the user is not a member, or the session is missing.
 */
export const readStateMessages = statement(
  'read_state_messages',
  ({ sessionId, userId, asOf }: { sessionId: string; userId: string; asOf: string }) => [
    sessionId,
    userId,
    asOf,
  ],
  (
    rows: (RawStateMessage & {
      readonly memberRole: ProjectRole;
      readonly newestAt: string | null;
    })[],
  ) => {
    const [first] = rows;
    if (!first) return undefined;
    const { memberRole, newestAt } = first;
    const messages = rows.flatMap((row) =>
      row.timestamp === null
        ? []
        : { timestamp: row.timestamp, content: row.content, metadata: row.metadata },
    );
    return { memberRole, newestAt, messages };
  },
)`
select
  membership.role as "memberRole",
  newest.at as "newestAt",
  message."timestamp",
  message.content,
  message.metadata
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
cross join lateral (
  select max(stored."timestamp") as at
  from messages stored
  where stored.session_id = $1
    and stored."timestamp" <= $3::timestamptz
) newest
left join lateral (${withinBytes(stateEvents(UP_TO), '"timestamp" desc')}) message on true
where session.id = $1
  and session.deleted_at is null
order by message."timestamp" desc`;

/**
 * Returns the messages that determine the session's present state, within the same limits, for an agent that starts.
 */
export const listStateMessages = statement(
  'list_state_messages',
  (sessionId: string) => [sessionId],
  allRows<StateMessageRow>,
)`
select message."timestamp", message.content, message.metadata
from (${withinBytes(stateEvents(''), '"timestamp" desc')}) message
order by message."timestamp" desc`;
