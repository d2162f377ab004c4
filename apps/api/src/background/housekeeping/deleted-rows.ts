import * as db from '@session/db';
import type { Deps } from '../../deps.ts';

/** Messages per statement: other statements wait for its locks and writes at most some tens of milliseconds. */
const BATCH_SIZE = 5000;
/** Statements per call. */
const MAX_STATEMENTS = 50;

export interface DeletionLimits {
  readonly batchSize?: number;
  /** After this many statements the rest is left to the next call. */
  readonly maxStatements?: number;
}

/**
 * Deletes the rows of sessions and projects that are marked as deleted, and returns the ids of those that are completely
 * deleted. A session is deleted once its agents have stopped and the recorders have left it. Has to be repeated: the next
 * call finds what this call left by its mark. Throws when the database is away.
 */
export async function deleteRows(
  { database }: Pick<Deps, 'database'>,
  { batchSize = BATCH_SIZE, maxStatements = MAX_STATEMENTS }: DeletionLimits = {},
): Promise<string[]> {
  const deleted: string[] = [];
  let remaining = maxStatements;
  for (const id of await db.listDeletedSessions(database, maxStatements)) {
    let isEmpty = false;
    while (!isEmpty && remaining > 0) {
      isEmpty = (await db.deleteMessages(database, id, batchSize)) < batchSize;
      remaining -= 1;
    }
    if (!isEmpty) break;
    await db.deleteSession(database, id);
    deleted.push(id);
  }
  return [...deleted, ...(await db.deleteProjects(database))];
}
