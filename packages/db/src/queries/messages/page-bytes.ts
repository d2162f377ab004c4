/** The largest number of bytes of messages that one statement reads, but for the message that exceeds it. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Smaller metadata are counted as stored, which costs nothing. With numbers like `1e308` they are some 9 KB as text. */
const SMALL_METADATA_BYTES = 600;

/** The stored bytes of the row `page`: PostgreSQL knows them without reading the text of a large message. */
const STORED_BYTES = 'octet_length(page.content) + coalesce(pg_column_size(page.metadata), 0)';

/** The bytes of the row `page` as text. Large metadata can be many times longer as text than they are as stored. */
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
 * Returns the text of a query for the first rows of `query` that begin within `maxBytes`, so at least one. `order` is
 * that of `query`, which also limits its rows. Stored bytes are counted first: 500 messages of 124 KB take 60 instead
 * of 215 ms.
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

export const IS_FULL = 'message.is_full as "isFull"';
