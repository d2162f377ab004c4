import { firstRow, hasRows, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_USER } from './account-limits.ts';
import { ending, versionOf } from './ended-tokens.ts';
import { findUser, HAS_ADDRESS, type UserRow } from './users.ts';

/** Stores a link for an hour, in place of an earlier one. Returns false when no account has the lower-case `email`. */
export const upsertPasswordLink = statement(
  'upsert_password_link',
  ({ email, secretHash }: { readonly email: string; readonly secretHash: Buffer }) => [
    email,
    secretHash,
  ],
  hasRows,
)`
insert into password_links (user_id, secret_hash, expires_at)
select account.id, $2, now() + interval '1 h'
-- Locks the account, because a change of the address may be under way.
from (select id from users where email = $1 and ${HAS_ADDRESS} for no key update) account
on conflict (user_id) do update set
  secret_hash = excluded.secret_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
returning 1`;

/** Returns the account of the link with that secret; undefined for a link that is unknown, used, replaced or expired. */
export const findPasswordLink = statement(
  'find_password_link',
  (secretHash: Buffer) => [secretHash],
  firstRow<{ readonly userId: string }>,
)`
select user_id as "userId" from password_links where secret_hash = $1 and expires_at > now()`;

// Unlinks the identity. Otherwise whoever linked it could still sign in after the account's address has passed to another
// person.
export const RESET_PASSWORD = statement(
  'reset_password',
  (userId: string, passwordHash: string, secretHash: Buffer) => [userId, passwordHash, secretHash],
  versionOf,
)`${ending(`, password_hash = $2, provider_identity = null where id = $1 and ${HAS_ADDRESS} and exists (
    select from password_links where user_id = $1 and secret_hash = $3 and expires_at > now()
  )`)}`;

/**
 * Uses a link: replaces the password, ends all tokens, and unlinks the identity. Returns the account with the version of its
 * next tokens; undefined in the cases of `findPasswordLink`.
 */
export async function resetPassword(
  database: DatabaseAccess,
  { secretHash, passwordHash }: { readonly secretHash: Buffer; readonly passwordHash: string },
): Promise<(UserRow & { readonly tokenVersion: number }) | undefined> {
  return await inTransaction(database, async (transaction) => {
    const link = await findPasswordLink(transaction, secretHash);
    if (!link) return undefined;
    const { userId } = link;
    // Every statement that uses or ends the link locks the account first, so the next one sees whether the link still exists.
    await LOCK_USER(transaction, userId);
    const tokenVersion = await RESET_PASSWORD(transaction, userId, passwordHash, secretHash);
    const user = await findUser(transaction, userId);
    if (tokenVersion === undefined || !user) return undefined;
    const { id, email, name, createdAt } = user;
    return { id, email, name, createdAt, tokenVersion };
  });
}

export const deleteExpiredPasswordLinks = statement(
  'delete_expired_password_links',
  () => [],
  rowCount,
)`
delete from password_links where expires_at <= now()`;
