import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { type Action, createAuthorize } from '../../permissions.ts';

interface Caller {
  readonly projectId: string;
  readonly userId: string;
  readonly actions: readonly Action[];
}

/** Runs `act` as `inAuthorizedTransaction` does, in a turn for changes of projects. */
export async function whileAuthorized<Result>(
  inProjectTurn: Deps['inProjectTurn'],
  caller: Caller,
  act: (transaction: db.DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  return await inProjectTurn(caller.projectId, caller.userId, (unlimited) =>
    inAuthorizedTransaction(unlimited, caller, act),
  );
}

/**
 * Runs `act` in a transaction during which no other transaction changes the members of the project. Throws as
 * `authorize` does if the user lost the right to one of the actions while this request waited for another transaction.
 */
export async function inAuthorizedTransaction<Result>(
  database: db.DatabaseAccess,
  { projectId, userId, actions }: Caller,
  act: (transaction: db.DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  return await db.inLockedProject(database, projectId, async (transaction) => {
    const membership = await db.findMembership(transaction, { projectId, userId });
    // On the transaction's connection, because such transactions may hold all other connections.
    const authorize = createAuthorize(transaction);
    for (const action of actions) await authorize(userId, action, membership);
    return await act(transaction);
  });
}
