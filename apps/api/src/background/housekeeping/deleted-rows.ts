import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { storedSeconds } from '../../http/callers/ended-tokens.ts';
import { WORK_MS } from '../shutdown-budget.ts';
import { FailedIds } from './failed-ids.ts';

/** With this size, other statements wait at most tens of milliseconds for a batch's locks and writes. */
export const BATCH_SIZE = 5000;
/** Each row may hold 1 MiB. */
const LOGS_AT_ONCE = 200;
const KEYS_AT_ONCE = 1000;
const END_USERS_AT_ONCE = 5000;
const EVENTS_AT_ONCE = 5000;
const ERASURES_AT_ONCE = 5000;
const LISTED_AT_ONCE = 100;
const TURN_MS = 250;

export interface DeletionLimits {
  readonly batchSize?: number;
  readonly workMs?: number;
  readonly turnMs?: number;
  readonly now?: () => number;
}

/**
 * The kinds of rows that a session may have many of, each with its batch size. All other rows are deleted together with
 * the session.
 */
const STEPS = [
  [db.deleteSearchRows, BATCH_SIZE],
  [db.deleteMessages, BATCH_SIZE],
  [db.deleteAgentLogs, LOGS_AT_ONCE],
  [db.deleteAgents, BATCH_SIZE],
] as const;

/**
 * Deletes the rows of sessions and projects marked as deleted, once agents and recorders have left them. Returns the
 * ids of those that are gone. Must be called repeatedly, because a call ends when its time is over. Sessions take
 * turns, so a large session delays others by at most its turn. Throws when the database is away; the next call
 * continues. A failing session delays no other: its error is thrown at the end, and calls with the same `failed` may
 * skip it for a minute.
 */
export async function deleteRows(
  { database }: Pick<Deps, 'database'>,
  limits: DeletionLimits = {},
  failed = new FailedIds(),
): Promise<string[]> {
  const failures = new Map<string, Error>();
  const deleted = await deleteSessions(database, limits, { failed, failures });
  await db.deleteEndUsers(database, END_USERS_AT_ONCE);
  await db.deleteAuditEventsOfProjects(database, EVENTS_AT_ONCE);
  await db.deleteErasuresOfProjects(database, ERASURES_AT_ONCE);
  const projects = await db.deleteProjects(database);
  if (failures.size > 0) {
    throw new AggregateError(failures.values(), 'deleting rows of deleted sessions failed');
  }
  return [...deleted, ...projects];
}

interface NotedFailures {
  readonly failed: FailedIds;
  readonly failures: Map<string, Error>;
}

function noteFailure(id: string, error: unknown, { failed, failures }: NotedFailures): void {
  failed.add(id, error);
  if (db.classOfError(error) === 'away') throw error;
  failures.set(id, new Error(`deleting rows of session ${id} failed`, { cause: error }));
}

async function deleteSessions(
  database: db.DatabaseAccess,
  limits: DeletionLimits,
  noted: NotedFailures,
): Promise<string[]> {
  const { workMs = WORK_MS, now = () => performance.now() } = limits;
  const deleted: string[] = [];
  const until = now() + workMs;
  let isLeft = true;
  while (isLeft) {
    const omitted = [...noted.failed.list(), ...noted.failures.keys()];
    const ids = await db.listDeletedSessions(database, LISTED_AT_ONCE, omitted);
    isLeft = ids.length > 0;
    for (const id of ids) {
      try {
        if (await deleteInTurn(database, id, { ...limits, now })) deleted.push(id);
        noted.failed.succeeded(id);
      } catch (error) {
        noteFailure(id, error, noted);
      }
      isLeft = now() < until;
      if (!isLeft) break;
    }
  }
  return deleted;
}

async function deleteInTurn(
  database: db.DatabaseAccess,
  id: string,
  {
    batchSize = BATCH_SIZE,
    turnMs = TURN_MS,
    now,
  }: DeletionLimits & { readonly now: () => number },
): Promise<boolean> {
  const end = now() + turnMs;
  for (const [remove, most] of STEPS) {
    const limit = Math.min(batchSize, most);
    while ((await remove(database, id, limit)) === limit) if (now() >= end) return false;
  }
  await db.deleteSession(database, id);
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
