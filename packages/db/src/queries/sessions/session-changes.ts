import { hasRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

/** An undefined field stays. A null removes the external id, or a key of the metadata; other keys stay. */
interface SessionChange {
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  readonly externalId?: string | null | undefined;
}

// Only null removes a key, so no value is null. An external id is never empty: the empty text removes it.
const CHANGED_METADATA = 'jsonb_strip_nulls(metadata || $3::text::jsonb)';

/**
 * Changes a session. Returns false when it is deleted, or its metadata would have more than `maxKeys` keys. Throws a
 * unique violation (23505) when another session of the project has the external id.
 */
export const updateSession = statement(
  'update_session',
  (id: string, { name, metadata = {}, externalId }: SessionChange, maxKeys: number) => {
    const changedId = externalId === undefined ? null : (externalId ?? '');
    return [id, name ?? null, JSON.stringify(metadata), changedId, maxKeys];
  },
  hasRows,
)`
update sessions set
  name = coalesce($2, name),
  metadata = ${CHANGED_METADATA},
  external_id = nullif(coalesce($4, external_id), ''),
  updated_at = now()
where id = $1
  and deleted_at is null
  and (select count(*) from jsonb_object_keys(${CHANGED_METADATA})) <= $5`;
