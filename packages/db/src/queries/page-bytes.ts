/** The largest number of bytes of messages that one statement reads, but for the message that exceeds it. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Small metadata are stored as they are, so their size tells enough, and costs nothing to know. */
const SMALL_METADATA_BYTES = 2000;

/**
 * The bytes of the row `page` as text. Of small rows it is an estimate. Compressed metadata, and large metadata that may
 * hold numbers like `1e308`, can be many times longer as text than they are as stored.
 */
const BYTES = `
    octet_length(page.content) + coalesce(
      case
        when pg_column_size(page.metadata) < ${SMALL_METADATA_BYTES} and pg_column_compression(page.metadata) is null
        then pg_column_size(page.metadata)
        else octet_length(page.metadata::text)
      end,
      0
    )`;

/**
 * Returns the text of a query for the first messages of `query` that begin within `maxBytes`, so at least one. `order` is the
 * order of `query`, which also limits the number of its rows. The sizes are those of the stored values: PostgreSQL reads the
 * text of a large message only when it returns it.
 */
export function withinBytes(query: string, order: string, maxBytes = PAGE_BYTES): string {
  return `
  select summed.*, summed.through >= ${maxBytes} as is_full
  from (
    select sized.*, sum(sized.bytes) over (order by ${order} rows unbounded preceding) as through
    from (select page.*, ${BYTES} as bytes from (${query}) page) sized
  ) summed
  where summed.through - summed.bytes < ${maxBytes}`;
}

/** Of the row `message` of such a query: whether the messages up to this one reach the limit, so that more may follow. */
export const IS_FULL = 'message.is_full as "isFull"';
