import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { IS_FULL, MESSAGE_COLUMNS, withinBytes } from './page-bytes.ts';
import { type MessageRow, messageRow, type StoredMessageRow } from './read-messages.ts';

const SEARCHED_CHARACTERS = 65_536;

/** Marks around found words: private-use characters, which are first removed from the text. */
export const [MARK_START, MARK_END] = ['\uE000', '\uE001'];

export function isSaid(row: string): string {
  return `${row}.kind in ('text', 'transcript') and ${row}.role in ('user', 'assistant')`;
}

// PostgreSQL takes these for parts of addresses, numbers or tags, and its parser would then need minutes for some texts.
const PUNCTUATION = `!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~`;

function spaced(text: string, characters: string, deleted = ''): string {
  const { length } = characters.replace("''", "'");
  return `translate(${text}, '${characters}${deleted}', '${' '.repeat(length)}')`;
}

/**
 * Returns the expression for the words of a text in lower case, as stems in `configuration`. Keyboards and programs
 * write `é` as one character or as two, so both forms count as the same. In a database with the locale C, `to_tsvector`
 * alone would lower only ASCII letters.
 */
export function wordsOfText(text: string, configuration: string): string {
  return `to_tsvector(${configuration}, ${searchedText(text)})`;
}

export function searchConfiguration(project: string): string {
  return `('pg_catalog.' || coalesce(${project}.search_language, 'simple'))`;
}

function searchedText(text: string): string {
  const searched = `left(${text}, ${SEARCHED_CHARACTERS})`;
  // The check takes half the time of normalizing, which few texts need.
  const composed = `case when ${searched} is normalized then ${searched} else normalize(${searched}) end`;
  const words = spaced(composed, PUNCTUATION, MARK_START + MARK_END);
  return `lower(${words} collate "pg_c_utf8")`;
}

/**
 * Returns the expression for a term that every message of the project has, so that messages of other projects are not
 * found.
 */
export function projectTerm(projectId: string): string {
  return `(left(md5(${projectId}::uuid::text), 12) || 'p')`;
}

// Quotes, and a hyphen before a word, belong to the syntax of queries.
const ASKED = spaced(
  `regexp_replace(normalize($3::text), '(?<=[^[:space:]"])-', ' ', 'g')`,
  PUNCTUATION.replaceAll(/["-]/g, ''),
);
const QUERY = `websearch_to_tsquery($11::regconfig, lower(${ASKED} collate "pg_c_utf8"))`;

/**
 * How many of the newest messages are checked one by one before the index is used: enough for a page of a word that one
 * message in forty contains.
 */
const WALKED = 2000;

const ENTRIES = `
        project_id = $1
          and (seen_at, message_id) <
            (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          and ($7::uuid is null or session_id = $7)
          and ($9::timestamptz is null or seen_at >= $9)
          and ($10::timestamptz is null or seen_at < $10)`;
const IS_FOUND = `words @@ (${QUERY} && ${projectTerm('$1')}::tsquery)`;

/**
 * Returns the text of a query for the newest messages of `entries`. It reads each message by its key, because for a join that
 * expects few rows PostgreSQL might read whole tables.
 */
function newestOf(entries: string): string {
  return `
        select stored.*, session.id as session_id, session.name as session_name
        from (select * from ${entries} order by seen_at desc, message_id desc) entry
        cross join lateral (
          select id, "timestamp", created_at, role, status, content, metadata
          from messages
          where session_id = entry.session_id
            and id = entry.message_id
            -- Whatever the index has: it is behind.
            and erased_at is null
            and ($8::text is null or role = $8)
          limit 1
        ) stored
        cross join lateral (
          select id, name from sessions where id = entry.session_id and deleted_at is null limit 1
        ) session
        limit $6`;
}

// A page of a frequent word is among the newest messages, and needs no sort. A rare word, or a phrase of frequent words,
// needs the index of words. PostgreSQL's statistics cannot tell the cases apart, because they do not contain how often words
// stand together.
const PAGE = `
      with walked as materialized (
        select session_id, message_id, seen_at, ${IS_FOUND} as is_found
        from message_search
        where ${ENTRIES}
        order by seen_at desc, message_id desc
        limit ${WALKED}
      ), newest as materialized (
        ${newestOf('(select * from walked where is_found) found')}
      ), older as materialized (
        select session_id, message_id, seen_at
        from message_search
        where (select count(*) from newest) < $6
          and (select count(*) from walked) = ${WALKED}
          and (seen_at, message_id) < (select seen_at, message_id from walked order by seen_at, message_id limit 1)
          and ${IS_FOUND}
          and ${ENTRIES}
      )
      select * from newest
      union all
      (${newestOf('older')})
      order by "timestamp" desc, id desc
      limit $6`;

type FoundRow = {
  readonly memberRole: ProjectRole;
  readonly hasWords: boolean;
  readonly isFull: boolean | null;
} & (
  | { readonly id: null }
  | (StoredMessageRow & {
      readonly sessionId: string;
      readonly sessionName: string;
      readonly marked: string;
    })
);

export const SEARCH_MESSAGES = statement(
  'search_messages',
  (
    projectId: string,
    userId: string,
    q: string,
    beforeAt: string | null,
    beforeId: string | null,
    limit: number,
    sessionId: string | null,
    role: string | null,
    from: string | null,
    to: string | null,
    configuration: string,
  ) => [projectId, userId, q, beforeAt, beforeId, limit, sessionId, role, from, to, configuration],
  allRows<FoundRow>,
)`
select
  membership.role as "memberRole",
  numnode(${QUERY}) > 0 as "hasWords",
  ${IS_FULL},
  ${MESSAGE_COLUMNS},
  message.session_id as "sessionId",
  message.session_name as "sessionName",
  ts_headline(
    $11::regconfig, ${searchedText('message.content')}, ${QUERY},
    'HighlightAll=true, StartSel="${MARK_START}", StopSel="${MARK_END}"'
  ) as marked
from memberships membership
left join lateral (${withinBytes(PAGE, '"timestamp" desc, id desc')}) message on true
where membership.project_id = $1
  and membership.user_id = $2
order by message."timestamp" desc, message.id desc`;

/**
 * The best plan depends on how many messages contain a word. One plan for all values takes 250 ms instead of 1 ms for a
 * common word.
 */
export const PLAN_SEARCH = statement(
  'plan_search',
  (projectId: string, timeoutMs: string) => [projectId, timeoutMs],
  allRows<{ readonly configuration: string; readonly isReindexing: boolean }>,
)`
select
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('statement_timeout', $2, true),
  ${searchConfiguration('project')} as configuration,
  project.reindex_before is not null as "isReindexing"
from projects project
where project.id = $1`;

export interface MessageSearch {
  readonly projectId: string;
  readonly userId: string;
  /** As a search engine takes it: words, `"a phrase"`, `or`, `-without`. */
  readonly q: string;
  readonly limit: number;
  readonly before?: { readonly timestamp: string; readonly id: string } | undefined;
  readonly sessionId?: string | undefined;
  readonly role?: MessageRow['role'] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** `marked`: the searched part in lower case, as NFC, with spaces for punctuation, and marks around each found word. */
export interface MessageHit {
  readonly sessionId: string;
  readonly sessionName: string;
  readonly message: MessageRow;
  readonly marked: string;
}

/**
 * - `hasWords`: false when `q` contains nothing to search for.
 * - `isFull`: the page ended at `PAGE_BYTES`, so there may be more.
 * - `isReindexing`: the language has changed, and some sessions that do not yet count as waiting for the index have words in
 *   the former language.
 */
export interface MessageHits {
  readonly memberRole: ProjectRole;
  readonly hasWords: boolean;
  readonly messages: MessageHit[];
  readonly isFull: boolean;
  readonly isReindexing: boolean;
}

/**
 * Returns up to `limit` messages that match `q`, the newest first; undefined when the user is not a member. Throws `57014` of
 * PostgreSQL after `timeoutMs`.
 */
export async function searchMessages(
  database: DatabaseAccess,
  search: MessageSearch,
  timeoutMs: number,
): Promise<MessageHits | undefined> {
  const { projectId, userId, q, limit, before, sessionId, role, from, to } = search;
  const filter = [sessionId ?? null, role ?? null, from ?? null, to ?? null] as const;
  const cursor = [before?.timestamp ?? null, before?.id ?? null] as const;
  return await inTransaction(database, async (transaction) => {
    const [plan] = await PLAN_SEARCH(transaction, projectId, String(timeoutMs));
    if (!plan) return undefined;
    const { configuration, isReindexing } = plan;
    const parameters = [projectId, userId, q, ...cursor, limit, ...filter, configuration] as const;
    const hits = hitsOf(await SEARCH_MESSAGES(transaction, ...parameters));
    return hits && { ...hits, isReindexing };
  });
}

function hitsOf(rows: readonly FoundRow[]): Omit<MessageHits, 'isReindexing'> | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { memberRole, hasWords } = first;
  const messages = hasWords ? rows.flatMap((row) => (row.id === null ? [] : [foundOf(row)])) : [];
  return { memberRole, hasWords, messages, isFull: rows.at(-1)?.isFull === true };
}

function foundOf(row: Extract<FoundRow, { id: string }>): MessageHit {
  const { sessionId, sessionName, marked } = row;
  return { sessionId, sessionName, marked, message: messageRow(row) };
}
