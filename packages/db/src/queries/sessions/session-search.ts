import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LIMIT_STATEMENTS } from '../operations/statistics.ts';
import { WALKED_END_USER_SESSIONS, walkSessionsOfEndUser } from './end-user-sessions.ts';
import {
  byCreation,
  type ListedSessionRow,
  listByStatus,
  listText,
  lowerName,
  type MatchParameters,
  matches,
  type PageParameters,
  pageOf,
  pageParameters,
  type SessionOrder,
  type SessionPage,
  type SessionQuery,
  WITHIN_TIMES,
  withinPage,
  wordPattern,
  wordsOf,
} from './session-lists.ts';
import type { SessionStatus } from './sessions.ts';

// No plan serves every search: PostgreSQL makes one plan for all values, frequent or rare. The sessions with a rare value
// are soon found by the index of terms, those with a frequent value by looking at one session after the other. So the
// statements do both, each up to a limit: first a walk, then the index. Where both limits are too small, the page ends where
// the walk did.
//
// A walk has its limit as `(select n)`, whose value PostgreSQL does not have when it plans. It then expects to read a tenth,
// in the order of the index. With a constant, it might rather read all sessions of a project, and sort them.

/** How many sessions are read for one page: about 15 ms. */
export const WALKED_SESSIONS = 20_000;

export const MAX_CANDIDATES = 5000;

/** How many of the newest sessions are sampled for a word. A word that more than `RARE_SHARE` of them contain is frequent. */
const SAMPLED_SESSIONS = 200;
const RARE_SHARE = 10;

const MAX_WORDS = 8;

type SearchParameters = [...PageParameters, ...MatchParameters];

function walkText(order: SessionOrder, condition = 'true'): string {
  // The numbers come in the order of the rows below, so nothing is sorted, and no row is read that the page does not need.
  return listText(
    `
    select walked.id, walked.place, walked.is_match
    from (
      select
        session.id,
        session.created_at,
        session.is_match,
        row_number() over (order by ${byCreation('session', order)}) as place
      from (
        select session.id, session.created_at, ${matches('$7', '$8')} as is_match
        from sessions session
        where ${withinPage(order)}
          and ${condition}
        order by ${byCreation('session', order)}
        limit (select ${WALKED_SESSIONS})
      ) session
    ) walked
    where walked.is_match or walked.place = ${WALKED_SESSIONS}
    order by ${byCreation('walked', order)}
    limit $3`,
    order,
  );
}

export const WALK_SESSIONS = statement(
  'walk_sessions',
  (...parameters: SearchParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('desc')}`;

export const WALK_SESSIONS_FROM_OLDEST = statement(
  'walk_sessions_from_oldest',
  (...parameters: SearchParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('asc')}`;

type StatusParameters = [...SearchParameters, status: SessionStatus];

export const WALK_SESSIONS_OF_STATUS = statement(
  'walk_sessions_of_status',
  (...parameters: StatusParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('desc', 'session.status = $9')}`;

export const WALK_SESSIONS_OF_STATUS_FROM_OLDEST = statement(
  'walk_sessions_of_status_from_oldest',
  (...parameters: StatusParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('asc', 'session.status = $9')}`;

const WALKS = {
  asc: { all: WALK_SESSIONS_FROM_OLDEST, ofStatus: WALK_SESSIONS_OF_STATUS_FROM_OLDEST },
  desc: { all: WALK_SESSIONS, ofStatus: WALK_SESSIONS_OF_STATUS },
} as const satisfies Record<SessionOrder, object>;

/**
 * Terms of `session_terms` for the sessions that match `$7` and `$8`: all metadata, and one or two words, each with the
 * project. A word that a million sessions contain takes up to 120 ms, so the words that fewer of the newest sessions contain
 * are chosen. The second word is left out if it alone is frequent, or if it is a single letter.
 */
const TERMS = `
    select string_agg(term, ' & ')::tsquery
    from (
      select quote_literal(left(md5($1::uuid::text), 12) || 'w' || left(word, 100)) || ':*' as term
      from (
        select word, share, min(share) over () as least_share,
          row_number() over (order by share, length(word) desc, word) as place
        from (
          select word, (select count(*) from sampled where sampled.name ~ (${wordPattern('word')})) as share
          from (
            select distinct word, length(word) from (${wordsOf('$8::text')}) word
            order by length(word) desc, word
            limit ${MAX_WORDS}
          ) word
        ) word
      ) word
      where place = 1
        or (place = 2 and length(word) > 1 and (share <= ${RARE_SHARE} or least_share > ${RARE_SHARE}))
      union all
      select quote_literal(left(md5($1::uuid::text), 12) || 'm' || md5(key || '=' || value))
      from jsonb_each_text($7::text::jsonb)
    ) terms`;

function candidatesText(order: SessionOrder): string {
  // Without a condition on the project, with which PostgreSQL would also read the index entries of all its sessions.
  return `
with sampled as materialized (
  select ${lowerName('session.name')} as name
  from sessions session
  where session.project_id = $1
    and session.deleted_at is null
    and ${WITHIN_TIMES}
  order by session.created_at desc, session.id desc
  limit (select ${SAMPLED_SESSIONS})
), found as materialized (
  select session.id, session.project_id, session.created_at, session.status, session.deleted_at, session.name, session.metadata
  from sessions session
  where session_terms(session.project_id, session.name, session.metadata) @@ (${TERMS})
), candidate as materialized (
  select * from found limit ${MAX_CANDIDATES + 1}
)${listText(
    `
    select session.id, 0 as place, true as is_match
    from candidate session
    -- A page of more candidates would not be exact.
    where (select count(*) from candidate) <= ${MAX_CANDIDATES}
      and ${withinPage(order)}
      and ${matches('$7', '$8')}
      and ($9::text is null or session.status = $9)
    order by ${byCreation('session', order)}
    limit $3`,
    order,
    '(select count(*)::int from candidate) as candidates,',
  )}`;
}

type FoundSession = ListedSessionRow & { readonly candidates: number };

export const FIND_SESSIONS = statement(
  'find_sessions',
  (...parameters: [...SearchParameters, status: SessionStatus | null]) => parameters,
  allRows<FoundSession>,
)`${candidatesText('desc')}`;

export const FIND_SESSIONS_FROM_OLDEST = statement(
  'find_sessions_from_oldest',
  (...parameters: [...SearchParameters, status: SessionStatus | null]) => parameters,
  allRows<FoundSession>,
)`${candidatesText('asc')}`;

const FINDS = { asc: FIND_SESSIONS_FROM_OLDEST, desc: FIND_SESSIONS } as const;

export const LIST_SESSION_OF_EXTERNAL_ID = statement(
  'list_session_of_external_id',
  (
    ...parameters: [
      ...SearchParameters,
      status: SessionStatus | null,
      externalId: string,
      endUserId: string | null,
    ]
  ) => parameters,
  allRows<ListedSessionRow>,
)`${listText(
  `
    select session.id, 0 as place, true as is_match
    from sessions session
    where session.project_id = $1
      and session.external_id = $10
      and session.deleted_at is null
      -- One session at most has the id, so no second page follows.
      and $4::uuid is null
      and ${WITHIN_TIMES}
      and ${matches('$7', '$8')}
      and ($9::text is null or session.status = $9)
      and (
        $11::uuid is null
        or exists (
          select from session_end_users participant
          where participant.session_id = session.id
            and participant.user_id = $11
        )
      )
    limit $3`,
  'desc',
)}`;

/**
 * Returns up to `limit` matching sessions in the order of their creation. A search may return fewer or even none, while
 * `nextCursor` leads further. Undefined when the user is not a member.
 */
export async function listSessions(
  database: DatabaseAccess,
  query: SessionQuery,
): Promise<SessionPage | undefined> {
  return await list(database, query, async () => {});
}

/**
 * Like `listSessions`. `leftMs`: how long somebody still waits for the result. PostgreSQL ends a statement after that, which
 * throws its `57014`.
 */
export async function searchSessions(
  database: DatabaseAccess,
  query: SessionQuery,
  leftMs: () => number,
): Promise<SessionPage | undefined> {
  return await inTransaction(database, async (transaction) => {
    const limit = async () => await LIMIT_STATEMENTS(transaction, leftMs());
    await limit();
    return await list(transaction, query, limit);
  });
}

async function list(
  database: DatabaseAccess,
  query: SessionQuery,
  limitNext: () => Promise<void>,
): Promise<SessionPage | undefined> {
  const { q, metadata = {}, externalId, endUserId } = query;
  if (externalId !== undefined) return await listByExternalId(database, query, externalId);
  if (endUserId !== undefined) return await listOfEndUser(database, query, endUserId);
  const isSearch = q !== undefined || Object.keys(metadata).length > 0;
  return isSearch ? await search(database, query, limitNext) : await listByStatus(database, query);
}

async function search(
  database: DatabaseAccess,
  query: SessionQuery,
  limitNext: () => Promise<void>,
): Promise<SessionPage | undefined> {
  const { status, order = 'desc', limit } = query;
  const parameters = searchParameters(query);
  const rows = await (status === undefined
    ? WALKS[order].all(database, ...parameters)
    : WALKS[order].ofStatus(database, ...parameters, status));
  const end = endOf(rows, WALKED_SESSIONS);
  const walked = pageOf(rows, limit, end);
  if (!walked || end === null || walked.sessions.length === limit) return walked;
  await limitNext();
  const found = await FINDS[order](database, ...parameters, status ?? null);
  const isWhole = found[0] === undefined || found[0].candidates <= MAX_CANDIDATES;
  return isWhole ? pageOf(found, limit) : walked;
}

function endOf(rows: readonly ListedSessionRow[], limit: number): string | null {
  const last = rows.at(-1);
  const isCut = last !== undefined && last.id !== null && Number(last.place) === limit;
  return isCut ? last.id : null;
}

async function listOfEndUser(
  database: DatabaseAccess,
  query: SessionQuery,
  endUserId: string,
): Promise<SessionPage | undefined> {
  const { status = null, order = 'desc', limit } = query;
  const parameters = searchParameters(query);
  const rows = await walkSessionsOfEndUser(database, order, ...parameters, status, endUserId);
  return pageOf(rows, limit, endOf(rows, WALKED_END_USER_SESSIONS));
}

async function listByExternalId(
  database: DatabaseAccess,
  query: SessionQuery,
  externalId: string,
): Promise<SessionPage | undefined> {
  const parameters = searchParameters(query);
  const { status = null, endUserId = null } = query;
  const more = [status, externalId, endUserId] as const;
  return pageOf(await LIST_SESSION_OF_EXTERNAL_ID(database, ...parameters, ...more), query.limit);
}

function searchParameters(query: SessionQuery): SearchParameters {
  return [...pageParameters(query), JSON.stringify(query.metadata ?? {}), query.q ?? ''];
}
