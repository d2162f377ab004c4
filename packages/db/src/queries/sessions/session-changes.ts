import { type DatabaseAccess, statement } from '../../statement/statement.ts';

/** What is undefined stays. A null removes the external id, or a key of the metadata; other keys stay. */
interface SessionChange {
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  readonly externalId?: string | null | undefined;
}

// Only null removes a key, so no value is null. An external id is never empty: the empty text removes it.
const CHANGED_METADATA = 'jsonb_strip_nulls(metadata || $3::text::jsonb)';

export const UPDATE_SESSION = statement<
  [id: string, name: string | null, metadata: string, externalId: string | null, maxKeys: number]
>(
  'update_session',
  `
update sessions set
  name = coalesce($2, name),
  metadata = ${CHANGED_METADATA},
  external_id = nullif(coalesce($4, external_id), ''),
  updated_at = now()
where id = $1
  and deleted_at is null
  and (select count(*) from jsonb_object_keys(${CHANGED_METADATA})) <= $5`,
);

/**
 * Changes a session. Returns false when it is deleted, or its metadata would have more than `maxKeys` keys. Throws a
 * unique violation (23505) when another session of the project has the external id.
 */
export async function updateSession(
  database: DatabaseAccess,
  id: string,
  change: SessionChange,
  maxKeys: number,
): Promise<boolean> {
  const { name = null, metadata = {}, externalId } = change;
  const changedId = externalId === undefined ? null : (externalId ?? '');
  const parameters = [id, name, JSON.stringify(metadata), changedId, maxKeys] as const;
  return (await UPDATE_SESSION.run(database, ...parameters)).count === 1;
}
