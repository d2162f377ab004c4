import type { DatabaseAccess, Statement, StatementParameter } from '../../statement/statement.ts';

/** The largest number of bytes of messages that one statement reads, not counting the message that exceeds it. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Smaller metadata count with their stored size, which costs nothing. With numbers like `1e308` they are some 9 KB as text.
 */
const SMALL_METADATA_BYTES = 600;

/** The stored bytes of the row `page`, which PostgreSQL has without reading the text of a large message. */
const STORED_BYTES = 'octet_length(page.content) + coalesce(pg_column_size(page.metadata), 0)';

const TEXT_BYTES = `
    octet_length(page.content) + coalesce(
      case
        when pg_column_size(page.metadata) < ${SMALL_METADATA_BYTES} and pg_column_compression(page.metadata) is null
        then pg_column_size(page.metadata)
        else octet_length(page.metadata::text)
      end,
      0
    )`;

/**
 * Returns the text of a query for the first rows of `query` that begin within `maxBytes`, so at least one. `order` is the
 * order of `query`, which also limits its rows. Stored bytes are counted first: 500 messages of 124 KB take 60 ms instead of
 * 215 ms.
 */
export function withinBytes(query: string, order: string, maxBytes = PAGE_BYTES): string {
  const running = `over (order by ${order} rows unbounded preceding)`;
  return `
  select page.*, page.text_through >= ${maxBytes} or page.stored_through >= ${maxBytes} as is_full
  from (
    select page.*, sum(page.text_bytes) ${running} as text_through
    from (
      select page.*, ${TEXT_BYTES} as text_bytes
      from (
        select page.*, sum(page.stored_bytes) ${running} as stored_through
        from (select page.*, ${STORED_BYTES} as stored_bytes from (${query}) page) page
      ) page
      where page.stored_through - page.stored_bytes < ${maxBytes}
    ) page
  ) page
  where page.text_through - page.text_bytes < ${maxBytes}`;
}

/**
 * Returns the text of a query for the rows of `query`, at most `limit`, with `is_small`: `limit` small rows are within
 * `PAGE_BYTES`, so they need not be counted.
 */
function markSmall(query: string, limit: string): string {
  const isSmall = (bytes: string) => `${bytes} < ${PAGE_BYTES} / ${limit}`;
  return `
  select page.*, ${isSmall(STORED_BYTES)} and ${isSmall(TEXT_BYTES)} as is_small
  from (${query}) page`;
}

export const IS_FULL = 'message.is_full as "isFull"';

function messageColumns(textOf: (column: string) => string): string {
  return `
  message.id,
  message."timestamp" as at,
  message.created_at as "createdAt",
  message.role,
  message.status,
  ${textOf('message.content')} as content,
  ${textOf('message.metadata')} as metadata`;
}

/** The columns of the row `message`. The time has another name than its column, or `order by` would sort by its text. */
export const MESSAGE_COLUMNS = messageColumns((column) => column);

export interface PageForm {
  readonly columns: string;
  readonly rows: (query: string, order: string, limit: string) => string;
}

/** For frequent reads: costs PostgreSQL a quarter less than `BOUNDED`, but returns no text of messages that are not small. */
export const USUAL: PageForm = {
  columns: messageColumns((column) => `case when message.is_small then ${column} end`),
  rows: (query, _order, limit) => markSmall(query, limit),
};

export const BOUNDED: PageForm = {
  columns: `${IS_FULL},${MESSAGE_COLUMNS}`,
  rows: (query, order) => withinBytes(query, order),
};

export interface PageRow {
  readonly id: string | null;
  readonly content?: string | null;
  readonly isFull?: boolean | null;
}

interface PageStatements<Parameters extends readonly StatementParameter[], Row extends PageRow> {
  readonly usual: Statement<Parameters, Row[]>;
  readonly bounded: Statement<Parameters, Row[]>;
}

/** Returns the rows of a page. A page with a message that is not small is read twice. */
export async function readPage<
  Parameters extends readonly StatementParameter[],
  Row extends PageRow,
>(
  database: DatabaseAccess,
  { usual, bounded }: PageStatements<Parameters, Row>,
  parameters: Parameters,
): Promise<readonly Row[]> {
  const rows = await usual(database, ...parameters);
  const isWhole = rows.every(({ id, content }) => id === null || content !== null);
  return isWhole ? rows : await bounded(database, ...parameters);
}
