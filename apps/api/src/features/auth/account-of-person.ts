import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { ProvidedPerson } from './identity-provider.ts';

/**
 * Returns the account of this identity, otherwise the account of the verified address, which the person takes over,
 * otherwise a new account. Throws `email_unverified` and `account_linked`.
 */
export async function accountOfPerson(
  { database, endedTokens }: Pick<Deps, 'database' | 'endedTokens'>,
  { identity, email, name }: ProvidedPerson,
): Promise<db.SignedInUser> {
  const find = async () => await db.findUserOfIdentity(database, identity);
  const known = await find();
  if (known) return known;
  if (email === undefined) throw new AppError('email_unverified', 'no verified e-mail address');
  const takeOver = async () => {
    const version = await db.linkIdentity(database, { identity, email });
    const user = version === undefined ? undefined : await find();
    if (user && version !== undefined) endedTokens.note(user.id, version);
    return user;
  };
  const create = async () =>
    await db.insertUserOfIdentity(database, { id: uuidv7(), identity, email, name });
  // Between these steps, another request may create the account: for the same person, or by a sign-up with the address.
  const user = (await takeOver()) ?? (await create()) ?? (await find()) ?? (await takeOver());
  if (!user) throw new AppError('account_linked', 'the account has another identity');
  return user;
}
