import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { storedSeconds } from '../../http/callers/ended-tokens.ts';

/** With this size, other statements wait at most some tens of milliseconds for a batch's locks and writes. */
export const BATCH_SIZE = 5000;
export const MAX_STATEMENTS = 50;
const KEYS_AT_ONCE = 1000;
const END_USERS_AT_ONCE = 5000;
const EVENTS_AT_ONCE = 5000;

export interface DeletionLimits {
  readonly batchSize?: number;
  readonly maxStatements?: number;
}

/**
 * Deletes the rows of sessions and projects marked as deleted, once agents and recorders have left them. Returns the ids of
 * those that are gone. Throws when the database is away; the next call continues.
 */
export async function deleteRows(
  { database }: Deps,
  { batchSize = BATCH_SIZE, maxStatements = MAX_STATEMENTS }: DeletionLimits = {},
): Promise<string[]> {
  const deleted: string[] = [];
  let remaining = maxStatements;
  for (const id of await db.listDeletedSessions(database, maxStatements)) {
    let isEmpty = false;
    for (const remove of [db.deleteSearchRows, db.deleteMessages]) {
      isEmpty = false;
      while (!isEmpty && remaining > 0) {
        isEmpty = (await remove(database, id, batchSize)) < batchSize;
        remaining -= 1;
      }
      if (!isEmpty) break;
    }
    if (!isEmpty) break;
    await db.deleteSession(database, id);
    deleted.push(id);
  }
  await db.deleteEndUsers(database, END_USERS_AT_ONCE);
  await db.deleteAuditEventsOfProjects(database, EVENTS_AT_ONCE);
  return [...deleted, ...(await db.deleteProjects(database))];
}

export async function deleteExpiredKeys({ database }: Deps): Promise<string[]> {
  const count = await db.deleteExpiredKeys(database, KEYS_AT_ONCE);
  return count > 0 ? [`${count} keys`] : [];
}

export async function deleteOldAuditEvents({ database }: Deps): Promise<string[]> {
  const count = await db.deleteOldAuditEvents(database, EVENTS_AT_ONCE);
  return count > 0 ? [`${count} events`] : [];
}

export async function deleteOldEvents({ database }: Deps): Promise<string[]> {
  const count = await db.deleteOldEvents(database, EVENTS_AT_ONCE);
  return count > 0 ? [`${count} events`] : [];
}

export async function deleteExpiredLinks({ database }: Deps): Promise<string[]> {
  const invitations = await db.deleteExpiredInvitations(database);
  const links = await db.deleteExpiredPasswordLinks(database);
  return [
    ...(invitations > 0 ? [`${invitations} invitations`] : []),
    ...(links > 0 ? [`${links} links for passwords`] : []),
  ];
}

export async function forgetEndedTokens({ config, database }: Deps): Promise<string[]> {
  const seconds = storedSeconds(config.jwt.lifetimeSeconds);
  const count = await db.forgetEndedTokens(database, seconds);
  return count > 0 ? [`of ${count} users`] : [];
}
