import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { SCANNED } from './tool-calls.ts';

/** `storedId`: another id under which the text may be stored. `digest`: of its content (`digestOf` of packages/media). */
export interface SoughtText {
  readonly id: string;
  readonly storedId?: string | undefined;
  readonly digest: string;
}

function digestOf(column: string): string {
  return `left(encode(sha256(convert_to(${column}, 'UTF8')), 'hex'), 32)`;
}

export const LIST_STORED_TEXTS = statement(
  'list_stored_texts',
  (
    sessionId: string,
    ids: readonly string[],
    storedIds: readonly string[],
    digests: readonly string[],
  ) => [sessionId, ids, storedIds, digests],
  allRows<{ readonly number: number }>,
)`
select sought.number::int
from unnest($2::uuid[], $3::uuid[], $4::text[])
  with ordinality as sought (id, stored_id, digest, number)
where exists (
  select from messages stored
  where stored.session_id = $1
    and stored.id = any (array[sought.id, sought.stored_id])
    and (
      stored.erased_at is not null
      or (stored.status is distinct from 'pending' and ${digestOf('stored.content')} = sought.digest)
    )
) or sought.digest in (
  select ${digestOf('recent.content')}
  from (
    select message.metadata, message.content, message.status
    from messages message
    where message.session_id = $1
    order by message."timestamp" desc
    limit ${SCANNED}
  ) recent
  where recent.metadata -> 'idConflict' = 'true' and recent.status is distinct from 'pending'
)`;

/**
 * Returns those of the texts that the session has, with one of their ids and the same content. An erased message counts
 * whatever the text's content is, because its own is gone. A pending message does not count, because it may still change. A
 * text whose id another sender has is searched in the newest `SCANNED` messages.
 */
export async function filterStoredTexts(
  database: DatabaseAccess,
  sessionId: string,
  texts: readonly SoughtText[],
): Promise<SoughtText[]> {
  const rows = await LIST_STORED_TEXTS(
    database,
    sessionId,
    texts.map(({ id }) => id),
    texts.map(({ id, storedId = id }) => storedId),
    texts.map(({ digest }) => digest),
  );
  const numbers = new Set(rows.map(({ number }) => number));
  return texts.filter((_, index) => numbers.has(index + 1));
}
