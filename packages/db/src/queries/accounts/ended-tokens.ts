import { hasCode } from '@session/kit';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { HAS_ADDRESS, type Identity } from './users.ts';

export interface EndedTokensRow {
  readonly userId: string;
  readonly version: number;
  readonly ageSeconds: number;
}

const COLUMNS = `user_id as "userId", version, extract(epoch from now() - ended_at)::float8 as "ageSeconds"`;

export const listEndedTokens = statement('list_ended_tokens', () => [], allRows<EndedTokensRow>)`
select ${COLUMNS} from ended_tokens`;

export const listNewlyEndedTokens = statement(
  'list_newly_ended_tokens',
  () => [],
  allRows<EndedTokensRow>,
)`
select ${COLUMNS} from ended_tokens where ended_at > now() - interval '30 s'`;

export const forgetEndedTokens = statement(
  'forget_ended_tokens',
  (seconds: number) => [seconds],
  ([forgotten]: { readonly count: number }[]) => forgotten?.count ?? 0,
)`
with forgotten as (
  delete from ended_tokens where ended_at <= now() - $1::float8 * interval '1 s' returning user_id
), deleted as (
  delete from users using forgotten
  where users.id = forgotten.user_id and users.kind = 'end_user' and users.external_id is null
)
select count(*)::int as count from forgotten`;

/**
 * Returns the text of a statement that changes a user by `update`, raises the version of the user's tokens, ends the link to
 * set a password, and notifies all APIs.
 */
export function ending(update: string): string {
  return `
with ended as (
  update users set token_version = token_version + 1${update}
  returning id, token_version as version
), noted as (
  insert into ended_tokens (user_id, version)
  select id, version from ended
  on conflict (user_id) do update set version = excluded.version, ended_at = excluded.ended_at
), unlinked as (
  delete from password_links link using ended where link.user_id = ended.id
)
select version, pg_notify('caller_changed', id || ' ' || version) from ended`;
}

interface Ended {
  readonly version: number;
}

export function versionOf([ended]: Ended[]): number | undefined {
  return ended?.version;
}

/** Ends all tokens of a user. Returns the version of the user's next tokens; undefined for an unknown user. */
export const endTokens = statement(
  'end_tokens',
  (userId: string) => [userId],
  versionOf,
)`${ending(' where id = $1')}`;

/**
 * Replaces a user's password, and ends all tokens. Returns the version of the user's next tokens; undefined for an unknown user
 * or an outdated `formerHash`.
 */
export const changePassword = statement(
  'change_password',
  (change: {
    readonly userId: string;
    readonly formerHash: string;
    readonly passwordHash: string;
  }) => [change.userId, change.formerHash, change.passwordHash],
  versionOf,
)`${ending(', password_hash = $3 where id = $1 and password_hash = $2')}`;

export const LINK_IDENTITY = statement(
  'link_identity',
  (identity: string, email: string) => [identity, email],
  versionOf,
)`${ending(`, provider_identity = $1, password_hash = '', login_networks = '{}'
  where email = $2 and provider_identity is null and ${HAS_ADDRESS}`)}`;

/**
 * Links the account with this address to an identity. Removes the password and ends all tokens, because nobody had verified the
 * account's address. Returns the version of the account's next tokens; undefined if the account is unknown, or the account or
 * the identity is linked already.
 */
export async function linkIdentity(
  database: DatabaseAccess,
  { identity, email }: Identity,
): Promise<number | undefined> {
  try {
    return await LINK_IDENTITY(database, identity, email);
  } catch (error) {
    if (hasCode(error, '23505')) return undefined;
    throw error;
  }
}

export const DELETE_ACCOUNT = statement(
  'delete_account',
  (userId: string) => [userId],
  versionOf,
)`${ending(`, name = 'Deleted user', email = 'deleted:' || id, password_hash = '', login_networks = '{}',
  provider_identity = null
  where id = $1 and ${HAS_ADDRESS}`)}`;
