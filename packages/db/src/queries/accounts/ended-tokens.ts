import { hasCode } from '@session/kit';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { HAS_ADDRESS, type Identity } from './users.ts';

export interface EndedTokensRow {
  readonly userId: string;
  readonly version: number;
}

const COLUMNS = `user_id as "userId", version`;

export const LIST_ENDED_TOKENS = statement<[], EndedTokensRow>(
  'list_ended_tokens',
  `select ${COLUMNS} from ended_tokens`,
);

export async function listEndedTokens(database: DatabaseAccess): Promise<EndedTokensRow[]> {
  return [...(await LIST_ENDED_TOKENS.run(database))];
}

export const LIST_NEWLY_ENDED_TOKENS = statement<[], EndedTokensRow>(
  'list_newly_ended_tokens',
  `select ${COLUMNS} from ended_tokens where ended_at > now() - interval '30 s'`,
);

/** Returns whose tokens were ended within the last 30 s. */
export async function listNewlyEndedTokens(database: DatabaseAccess): Promise<EndedTokensRow[]> {
  return [...(await LIST_NEWLY_ENDED_TOKENS.run(database))];
}

export const FORGET_ENDED_TOKENS = statement<[seconds: number], { readonly count: number }>(
  'forget_ended_tokens',
  `
with forgotten as (
  delete from ended_tokens where ended_at <= now() - $1::float8 * interval '1 s' returning user_id
), deleted as (
  delete from users using forgotten
  where users.id = forgotten.user_id and users.kind = 'end_user' and users.external_id is null
)
select count(*)::int as count from forgotten`,
);

export async function forgetEndedTokens(
  database: DatabaseAccess,
  seconds: number,
): Promise<number> {
  const [forgotten] = await FORGET_ENDED_TOKENS.run(database, seconds);
  return forgotten?.count ?? 0;
}

/**
 * Returns the text of a statement that changes a user by `update`, raises the version of the user's tokens, ends the
 * link to set a password, and notifies all APIs.
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

export interface Ended {
  readonly version: number;
}

export const END_TOKENS = statement<[userId: string], Ended>(
  'end_tokens',
  ending(' where id = $1'),
);

/** Ends all tokens of a user. Returns the version of the user's next tokens, or undefined when there is no such user. */
export async function endTokens(
  database: DatabaseAccess,
  userId: string,
): Promise<number | undefined> {
  return (await END_TOKENS.run(database, userId))[0]?.version;
}

export const CHANGE_PASSWORD = statement<
  [userId: string, formerHash: string, passwordHash: string],
  Ended
>('change_password', ending(', password_hash = $3 where id = $1 and password_hash = $2'));

/** Replaces a user's password, and ends all tokens. Returns as `endTokens`; also undefined when `formerHash` is outdated. */
export async function changePassword(
  database: DatabaseAccess,
  change: { readonly userId: string; readonly formerHash: string; readonly passwordHash: string },
): Promise<number | undefined> {
  const { userId, formerHash, passwordHash } = change;
  return (await CHANGE_PASSWORD.run(database, userId, formerHash, passwordHash))[0]?.version;
}

export const LINK_IDENTITY = statement<[identity: string, email: string], Ended>(
  'link_identity',
  ending(`, provider_identity = $1, password_hash = '', login_networks = '{}'
  where email = $2 and provider_identity is null and ${HAS_ADDRESS}`),
);

/**
 * Links the account with this address to an identity. Password and tokens end, because nobody has verified the address. Returns
 * as `endTokens`; also undefined when the account or the identity is linked already.
 */
export async function linkIdentity(
  database: DatabaseAccess,
  { identity, email }: Identity,
): Promise<number | undefined> {
  try {
    return (await LINK_IDENTITY.run(database, identity, email))[0]?.version;
  } catch (error) {
    if (hasCode(error, '23505')) return undefined;
    throw error;
  }
}

export const DELETE_ACCOUNT = statement<[userId: string], Ended>(
  'delete_account',
  ending(`, name = 'Deleted user', email = 'deleted:' || id, password_hash = '', login_networks = '{}',
  provider_identity = null
  where id = $1 and ${HAS_ADDRESS}`),
);
