import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { IS_FULL, MESSAGE_COLUMNS, withinBytes } from './page-bytes.ts';
import {
  historyStart,
  type MessagePage,
  type MessageRow,
  messageRows,
  type RawMessageRow,
} from './read-messages.ts';

export const WALKED_FOR_FILTER = 5000;

interface FilteredPage {
  readonly sessionId: string;
  readonly userId: string;
  readonly cursor?: string | null | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly kind?: string | undefined;
  readonly role?: MessageRow['role'] | undefined;
  readonly from?: string | null;
}

type FilteredMessage = RawMessageRow & {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly isFull: boolean | null;
  readonly isMatch: boolean | null;
  readonly place: string | null;
};

/**
 * Returns the text of a walk through the history, from the cursor to the page's last message. If the walk is cut short,
 * the statement also returns its end, without content.
 */
function filterText(order: 'asc' | 'desc'): string {
  const start = historyStart('$7');
  const [comparison, first] = order === 'asc' ? ['>', start] : ['<', `'infinity'`];
  const page = `
  select
    walked.id, walked."timestamp", walked.created_at, walked.role, walked.status,
    case when walked.is_match then walked.content else '' end as content,
    case when walked.is_match then walked.metadata end as metadata,
    walked.is_match, walked.place
  from (
    select
      stored.*,
      ($5::text is null or stored.kind = $5) and ($6::text is null or stored.role = $6) as is_match,
      row_number() over (order by stored."timestamp" ${order}) as place
    from (
      select stored.*
      from messages stored
      where stored.session_id = $1
        and stored."timestamp" ${comparison} case
          when $4::uuid is null then ${first}
          else cursor_message."timestamp"
        end
      order by stored."timestamp" ${order}
      limit (select ${WALKED_FOR_FILTER})
    ) stored
  ) walked
  where (walked.is_match or walked.place = ${WALKED_FOR_FILTER})
    and walked."timestamp" > ${start}
  order by walked."timestamp" ${order}
  limit $3`;
  return `
select
  $4::uuid is null or cursor_message.id is not null as "isCursorKnown",
  membership.role as "memberRole",
  message.is_match as "isMatch",
  message.place,
  ${IS_FULL},
  ${MESSAGE_COLUMNS}
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
left join messages cursor_message
  on cursor_message.session_id = $1
  and cursor_message.id = $4
  and cursor_message."timestamp" > ${start}
left join lateral (${withinBytes(page, `"timestamp" ${order}`)}) message on true
where session.id = $1
  and session.deleted_at is null
order by message."timestamp" ${order}`;
}

function parametersOf(page: FilteredPage) {
  const { sessionId, userId, limit, cursor = null, kind = null, role = null, from = null } = page;
  return [sessionId, userId, limit, cursor, kind, role, from];
}

export const FILTER_MESSAGES = statement(
  'filter_messages',
  parametersOf,
  allRows<FilteredMessage>,
)`${filterText('desc')}`;

export const FILTER_MESSAGES_FROM_START = statement(
  'filter_messages_from_start',
  parametersOf,
  allRows<FilteredMessage>,
)`${filterText('asc')}`;

/**
 * Like `pageMessages`, for one kind or role, or both. The page may be short or even empty although more messages match. In that
 * case, `end` is the cursor with which to continue.
 */
export async function filterMessages(
  database: DatabaseAccess,
  page: FilteredPage,
): Promise<MessagePage | undefined> {
  const filter = page.order === 'asc' ? FILTER_MESSAGES_FROM_START : FILTER_MESSAGES;
  const rows = await filter(database, page);
  const [first] = rows;
  if (!first) return undefined;
  const { isCursorKnown, memberRole } = first;
  const last = rows.at(-1);
  const isCut = Number(last?.place) === WALKED_FOR_FILTER;
  const messages = messageRows(rows.filter(({ isMatch }) => isMatch === true));
  const isFull = last?.isFull === true && !isCut;
  return { isCursorKnown, memberRole, messages, isFull, end: isCut ? (last?.id ?? null) : null };
}
