import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { storedSeconds } from '../../http/callers/ended-tokens.ts';
import { FailedIds } from './failed-ids.ts';

/** With this size, other statements wait at most some tens of milliseconds for a batch's locks and writes. */
export const BATCH_SIZE = 5000;
export const MAX_STATEMENTS = 50;
/** Each row may hold 1 MiB. */
const LOGS_AT_ONCE = 200;
const KEYS_AT_ONCE = 1000;
const END_USERS_AT_ONCE = 5000;
const EVENTS_AT_ONCE = 5000;

export interface DeletionLimits {
  readonly batchSize?: number;
  readonly maxStatements?: number;
}

/** What a session may have many rows of, with the most that one statement deletes. The rest goes with the session. */
const STEPS = [
  [db.deleteSearchRows, BATCH_SIZE],
  [db.deleteMessages, BATCH_SIZE],
  [db.deleteAgentLogs, LOGS_AT_ONCE],
  [db.deleteAgents, BATCH_SIZE],
] as const;

/**
 * Deletes the rows of sessions and projects marked as deleted, once agents and recorders have left them. Returns the ids of
 * those that are gone. Throws when the database is away; the next call continues. A failing session delays no other: its
 * error is thrown at the end, and calls with the same `failed` may leave it out for a minute.
 */
export async function deleteRows(
  { database }: Deps,
  { batchSize = BATCH_SIZE, maxStatements = MAX_STATEMENTS }: DeletionLimits = {},
  failed = new FailedIds(),
): Promise<string[]> {
  const deleted: string[] = [];
  const failures: Error[] = [];
  const budget: Budget = { batchSize, statements: maxStatements };
  for (const id of await db.listDeletedSessions(database, maxStatements, failed.list())) {
    try {
      if (!(await emptySession(database, id, budget))) break;
      await db.deleteSession(database, id);
      deleted.push(id);
    } catch (error) {
      failed.add(id, error);
      if (db.classOfError(error) === 'away') throw error;
      failures.push(new Error(`session ${id} keeps rows`, { cause: error }));
    }
  }
  await db.deleteEndUsers(database, END_USERS_AT_ONCE);
  await db.deleteAuditEventsOfProjects(database, EVENTS_AT_ONCE);
  const projects = await db.deleteProjects(database);
  if (failures.length > 0) throw new AggregateError(failures, 'deleted sessions keep rows');
  return [...deleted, ...projects];
}

interface Budget {
  readonly batchSize: number;
  /** How many statements may still find something to delete, or fail. */
  statements: number;
}

/** Returns false when the budget is spent before the session is empty. */
async function emptySession(
  database: db.DatabaseAccess,
  id: string,
  budget: Budget,
): Promise<boolean> {
  for (const [remove, most] of STEPS) {
    const limit = Math.min(budget.batchSize, most);
    let count = limit;
    while (count === limit) {
      if (budget.statements <= 0) return false;
      budget.statements -= 1;
      count = await remove(database, id, limit);
      if (count === 0) budget.statements += 1;
    }
  }
  return true;
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
