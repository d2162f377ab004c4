import { type DatabaseAccess, statement } from '../../statement.ts';

/** How many of the newest messages of a session are searched for one that has an id of its own. */
const SCANNED = 2000;

export interface StoredTextQueries {
  /**
   * Whether the session has a text with one of these ids and that digest of its content (`digestOf` of packages/media). A
   * pending text may have any content. A text whose id another sender's message has is searched among the newest `SCANNED`
   * messages of the session.
   */
  isTextStored(text: {
    sessionId: string;
    ids: readonly string[];
    digest: string;
  }): Promise<boolean>;
}

function digestOf(column: string): string {
  return `left(encode(sha256(convert_to(${column}, 'UTF8')), 'hex'), 32)`;
}

export const IS_TEXT_STORED = statement<
  [sessionId: string, ids: readonly string[], digest: string],
  { readonly isStored: boolean }
>(
  'is_text_stored',
  `
select exists (
  select from messages stored
  where stored.session_id = $1
    and stored.id = any ($2::uuid[])
    and (stored.status = 'pending' or ${digestOf('stored.content')} = $3)
) or exists (
  select from (
    select message.metadata, message.content
    from messages message
    where message.session_id = $1
    order by message."timestamp" desc
    limit ${SCANNED}
  ) recent
  where recent.metadata -> 'idConflict' = 'true'
    and ${digestOf('recent.content')} = $3
) as "isStored"`,
);

/** Returns the query by which a recorder tells whether another one received a text. */
export function prepareStoredTextQueries({ sql }: DatabaseAccess): StoredTextQueries {
  return {
    async isTextStored({ sessionId, ids, digest }) {
      const [found] = await IS_TEXT_STORED.run(sql, sessionId, ids, digest);
      return found?.isStored ?? false;
    },
  };
}
