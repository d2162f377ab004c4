import { MAX_QUERY_WORDS } from '@session/contract';
import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { RECORDING_STATE } from '../recording-state.ts';
import {
  SESSION_COLUMNS,
  type SessionRow,
  type SessionStatus,
  type StoredSession,
  sessionRow,
} from './sessions.ts';

export type SessionOrder = 'asc' | 'desc';

/**
 * Which sessions to list, `limit` at a time, after the session `cursor` in the order of their creation.
 * - `createdAfter`, `createdBefore`: without the time itself.
 * - `q`: each of its first `MAX_QUERY_WORDS` words begins a word of the name, ignoring case.
 * - `metadata`: values by key, all of which the session has.
 * - `endUserId`: an end user who got a token for the session.
 */
export interface SessionQuery {
  readonly projectId: string;
  readonly userId: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly order?: SessionOrder | undefined;
  readonly status?: SessionStatus | undefined;
  readonly externalId?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly q?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly endUserId?: string | undefined;
}

/**
 * - `isCursorKnown`: false when the cursor is not a session of the project. A deleted session remains a cursor until its row
 *   is deleted.
 * - `nextCursor`: where the next page begins, perhaps after fewer than `limit`; null on the last page.
 */
export interface SessionPage {
  readonly memberRole: ProjectRole;
  readonly isCursorKnown: boolean;
  readonly sessions: SessionRow[];
  readonly nextCursor: string | null;
}

export type PageParameters = [
  projectId: string,
  userId: string,
  rows: number,
  cursor: string | null,
  createdAfter: string | null,
  createdBefore: string | null,
];

export type MatchParameters = [metadata: string, q: string];

/** `place`: the row's number in a walk, otherwise 0. `isMatch`: false for the end of a walk that must not be listed. */
interface ListPlace {
  readonly place: string;
  readonly isMatch: boolean;
}

export type ListedSessionRow = Pick<SessionPage, 'memberRole' | 'isCursorKnown'> &
  ((StoredSession & ListPlace) | { readonly id: null });

const LEAST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;
const GREATEST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

const CREATED_AFTER = `coalesce($5::timestamptz, '-infinity')`;
const CREATED_BEFORE = `coalesce($6::timestamptz, 'infinity')`;

export const WITHIN_TIMES = `session.created_at > ${CREATED_AFTER}
      and session.created_at < ${CREATED_BEFORE}`;

/**
 * Returns a query for where a page begins: the later of the cursor and the time limit, as one bound for the index. Null
 * for an unknown cursor.
 */
function startOf(order: SessionOrder): string {
  const [bound, id, comparison] =
    order === 'desc' ? [CREATED_BEFORE, LEAST_ID, '>='] : [CREATED_AFTER, GREATEST_ID, '<='];
  const isBound = `$4::uuid is null or cursor_session.created_at ${comparison} ${bound}`;
  return `
select
  case when ${isBound} then ${bound} else cursor_session.created_at end as at,
  case when ${isBound} then ${id} else cursor_session.id end as id`;
}

export function withinList(order: SessionOrder, at: string, id: string): string {
  const [comparison, end] =
    order === 'desc' ? ['<', `${at} > ${CREATED_AFTER}`] : ['>', `${at} < ${CREATED_BEFORE}`];
  return `(${at}, ${id}) ${comparison} (start.at, start.id)
      and ${end}`;
}

export function withinPage(order: SessionOrder): string {
  return `session.project_id = $1
      and session.deleted_at is null
      and ${withinList(order, 'session.created_at', 'session.id')}`;
}

export function byCreation(row: string, order: SessionOrder): string {
  return `${row}.created_at ${order}, ${row}.id ${order}`;
}

/** Returns the expression for a text in lower case. This collation covers all letters, in any database. */
export function lowerName(text: string): string {
  return `lower(${text} collate "pg_c_utf8")`;
}

/**
 * Returns a query for the first words of a text. The limit applies here too, because PostgreSQL splits at letters that only a
 * newer Unicode has, so one word of the contract may be many here.
 */
export function wordsOf(text: string): string {
  return `
      select word
      from regexp_split_to_table(
        ${lowerName(text)}, '[^[:alnum:]]+' collate "pg_c_utf8"
      ) word
      where word <> ''
      limit ${MAX_QUERY_WORDS}`;
}

export function wordPattern(word: string): string {
  return `'(^|[^[:alnum:]])' || ${word}`;
}

/**
 * Returns the condition that `session` has all `metadata`, and a word for each word of `q`. `like` takes a third of a
 * regular expression's time.
 */
export function matches(metadata: string, q: string): string {
  const eachWord = (pattern: string) =>
    `all ((select coalesce(array_agg(${pattern}), '{}') from (${wordsOf(`${q}::text`)}) word)::text[])`;
  return `(
      session.metadata @> ${metadata}::text::jsonb
      and ${lowerName('session.name')} like ${eachWord("'%' || word || '%'")}
      and ${lowerName('session.name')} ~ ${eachWord(wordPattern('word'))}
    )`;
}

/**
 * Returns the text of a list of the sessions that `found` contains (`id`, `place`, `is_match`). Each session is read
 * separately, because PostgreSQL might otherwise read all heads.
 */
export function listText(found: string, order: SessionOrder, column = ''): string {
  return `
select
  ${column}
  $4::uuid is null or cursor_session.id is not null as "isCursorKnown",
  membership.role as "memberRole",
  page.*
from memberships membership
left join sessions cursor_session
  on cursor_session.id = $4
  and cursor_session.project_id = $1
cross join lateral (${startOf(order)}
) start
left join lateral (
  select found.place, found.is_match as "isMatch", described.*
  from (${found}
  ) found
  cross join lateral (
    select ${SESSION_COLUMNS}
    from sessions session
    join session_heads head on head.session_id = session.id
    ${RECORDING_STATE}
    where session.id = found.id
    limit 1
  ) described
) page on true
where membership.project_id = $1
  and membership.user_id = $2
order by page."createdAt" ${order}, page.id ${order}`;
}

function textOfAll(order: SessionOrder, condition = 'true'): string {
  return listText(
    `
    select session.id, 0 as place, true as is_match
    from sessions session
    where ${withinPage(order)}
      and ${condition}
    order by ${byCreation('session', order)}
    limit $3`,
    order,
  );
}

export const LIST_SESSIONS = statement(
  'list_sessions',
  (...parameters: PageParameters) => parameters,
  allRows<ListedSessionRow>,
)`${textOfAll('desc')}`;

export const LIST_SESSIONS_FROM_OLDEST = statement(
  'list_sessions_from_oldest',
  (...parameters: PageParameters) => parameters,
  allRows<ListedSessionRow>,
)`${textOfAll('asc')}`;

type StatusParameters = [...PageParameters, status: SessionStatus];

export const LIST_SESSIONS_OF_STATUS = statement(
  'list_sessions_of_status',
  (...parameters: StatusParameters) => parameters,
  allRows<ListedSessionRow>,
)`${textOfAll('desc', 'session.status = $7')}`;

export const LIST_SESSIONS_OF_STATUS_FROM_OLDEST = statement(
  'list_sessions_of_status_from_oldest',
  (...parameters: StatusParameters) => parameters,
  allRows<ListedSessionRow>,
)`${textOfAll('asc', 'session.status = $7')}`;

const LISTS = {
  asc: { all: LIST_SESSIONS_FROM_OLDEST, ofStatus: LIST_SESSIONS_OF_STATUS_FROM_OLDEST },
  desc: { all: LIST_SESSIONS, ofStatus: LIST_SESSIONS_OF_STATUS },
} as const satisfies Record<SessionOrder, object>;

export async function listByStatus(
  database: DatabaseAccess,
  query: SessionQuery,
): Promise<SessionPage | undefined> {
  const { status, order = 'desc', limit } = query;
  const parameters = pageParameters(query);
  const rows = await (status === undefined
    ? LISTS[order].all(database, ...parameters)
    : LISTS[order].ofStatus(database, ...parameters, status));
  return pageOf(rows, limit);
}

export function pageParameters(query: SessionQuery): PageParameters {
  const { projectId, userId, limit, cursor, createdAfter, createdBefore } = query;
  const range = [createdAfter ?? null, createdBefore ?? null] as const;
  return [projectId, userId, limit + 1, cursor ?? null, ...range];
}

/**
 * Returns the page of the matches among `rows`; undefined without rows, when the user is not a member. The next page begins
 * behind the last match on the page if there are more than `limit`, otherwise behind `end`.
 */
export function pageOf(
  rows: readonly ListedSessionRow[],
  limit: number,
  end: string | null = null,
): SessionPage | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { memberRole, isCursorKnown } = first;
  const found = rows.flatMap((row) => (row.id !== null && row.isMatch ? [sessionRow(row)] : []));
  const sessions = found.slice(0, limit);
  const nextCursor = found.length > limit ? (sessions.at(-1)?.id ?? null) : end;
  return { memberRole, isCursorKnown, sessions, nextCursor };
}
