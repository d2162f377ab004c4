import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { LOCK_USER } from './account-limits.ts';
import { type Ended, ending } from './ended-tokens.ts';
import { FIND_USER, HAS_ADDRESS, type UserRow } from './users.ts';

export const UPSERT_PASSWORD_LINK = statement<[email: string, secretHash: Buffer]>(
  'upsert_password_link',
  `
insert into password_links (user_id, secret_hash, expires_at)
select id, $2, now() + interval '1 h' from users where email = $1 and ${HAS_ADDRESS}
on conflict (user_id) do update set
  secret_hash = excluded.secret_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
returning 1`,
);

/** Stores a link for an hour, instead of an earlier one. Returns false when no account has the lower-case `email`. */
export async function upsertPasswordLink(
  database: DatabaseAccess,
  { email, secretHash }: { readonly email: string; readonly secretHash: Buffer },
): Promise<boolean> {
  return (await UPSERT_PASSWORD_LINK.run(database, email, secretHash)).length > 0;
}

export const FIND_PASSWORD_LINK = statement<[secretHash: Buffer], { readonly userId: string }>(
  'find_password_link',
  `select user_id as "userId" from password_links where secret_hash = $1 and expires_at > now()`,
);

/** Returns whose link has that secret; undefined for one that is unknown, used, replaced or expired. */
export async function findPasswordLink(
  database: DatabaseAccess,
  secretHash: Buffer,
): Promise<{ userId: string } | undefined> {
  const [link] = await FIND_PASSWORD_LINK.run(database, secretHash);
  return link && { ...link };
}

export const RESET_PASSWORD = statement<
  [userId: string, passwordHash: string, secretHash: Buffer],
  Ended
>(
  'reset_password',
  // Otherwise whoever linked the identity could still sign in after the account's address has passed to another person.
  ending(`, password_hash = $2, provider_identity = null where id = $1 and ${HAS_ADDRESS} and exists (
    select from password_links where user_id = $1 and secret_hash = $3 and expires_at > now()
  )`),
);

/**
 * Uses a link up: replaces the password, ends all tokens, and unlinks the identity. Returns the account with the version of its
 * next tokens; undefined in the cases of `findPasswordLink`.
 */
export async function resetPassword(
  database: DatabaseAccess,
  { secretHash, passwordHash }: { readonly secretHash: Buffer; readonly passwordHash: string },
): Promise<(UserRow & { readonly tokenVersion: number }) | undefined> {
  return await inTransaction(database, async (transaction) => {
    const [link] = await FIND_PASSWORD_LINK.run(transaction, secretHash);
    if (!link) return undefined;
    const { userId } = link;
    // Every statement that uses or ends the link locks the account first, so the next one sees whether the link still exists.
    await LOCK_USER.run(transaction, userId);
    const [ended] = await RESET_PASSWORD.run(transaction, userId, passwordHash, secretHash);
    const [user] = await FIND_USER.run(transaction, userId);
    if (!(ended && user)) return undefined;
    const { id, email, name, createdAt } = user;
    return { id, email, name, createdAt: isoFromText(createdAt), tokenVersion: ended.version };
  });
}

export const DELETE_EXPIRED_PASSWORD_LINKS = statement<[]>(
  'delete_expired_password_links',
  'delete from password_links where expires_at <= now()',
);

export async function deleteExpiredPasswordLinks(database: DatabaseAccess): Promise<number> {
  return (await DELETE_EXPIRED_PASSWORD_LINKS.run(database)).count;
}
