import type { Deps } from '../../deps.ts';

/** Messages in one statement: others wait for its locks and its writes no longer than some tens of milliseconds. */
const BATCH = 5000;

export interface DeletionLimits {
  readonly batch?: number;
  /** After so many statements it is for the next call to go on. */
  readonly statements?: number;
}

/**
 * Deletes rows of what is marked as deleted, and gives the ids of the sessions and projects that are gone for good. A
 * session goes when its agents have stopped and the recorders have left it. To be repeated: what this call leaves, for
 * whatever reason, the next one finds by its mark. Throws when the database is away.
 */
export async function deleteRows(
  { deletions }: Pick<Deps, 'deletions'>,
  { batch = BATCH, statements = 50 }: DeletionLimits = {},
): Promise<string[]> {
  const gone: string[] = [];
  let left = statements;
  for (const id of await deletions.listDeletedSessions(statements)) {
    let isEmpty = false;
    while (!isEmpty && left > 0) {
      isEmpty = (await deletions.deleteMessages(id, batch)) < batch;
      left -= 1;
    }
    if (!isEmpty) break;
    await deletions.deleteSession(id);
    gone.push(id);
  }
  return [...gone, ...(await deletions.deleteProjects())];
}
