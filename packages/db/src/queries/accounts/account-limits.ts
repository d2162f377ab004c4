import { firstRow, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import {
  type AccountUsage,
  ALL_KINDS,
  accountOf,
  findUsageOfAccount,
  findUsageOfProject,
} from './account-usage.ts';

/** A limit that is absent or 0 is not checked. */
export type AccountLimits = { readonly [Limit in keyof AccountUsage]?: number };

export type TemplateLimits = Pick<AccountLimits, 'templates' | 'templateBytes'>;

const CODES = {
  projects: 'project_capacity',
  sessions: 'session_capacity',
  agents: 'agent_capacity',
  templates: 'template_capacity',
  templateBytes: 'template_bytes',
} as const satisfies Record<keyof AccountUsage, string>;

export type ExceededLimit = (typeof CODES)[keyof typeof CODES] | 'service_agent_capacity';

export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
  readonly code: ExceededLimit;

  constructor(code: ExceededLimit) {
    super(code);
    this.code = code;
  }
}

export const LOCK_PROJECT = statement('lock_project', (id: string) => [id], nothing)`
select from projects where id = $1 for no key update`;

/**
 * Runs `work` in a transaction during which no other transaction changes the project's members or settings, or deletes
 * the project.
 */
export async function inLockedProject<Result>(
  database: DatabaseAccess,
  projectId: string,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    return await work(transaction);
  });
}

export const LOCK_USER = statement('lock_user', (id: string) => [id], nothing)`
select from users where id = $1 for no key update`;

export const LOCK_ACCOUNT = statement(
  'lock_account',
  (projectId: string) => [projectId],
  firstRow<{ readonly id: string }>,
)`
select id from users where id = ${accountOf('$1')} for no key update`;

/** Locks a project and then its account, so that nobody else adds to the account. Returns the account's id. */
export async function lockAccount(
  database: DatabaseAccess,
  projectId: string,
): Promise<string | undefined> {
  await LOCK_PROJECT(database, projectId);
  return (await LOCK_ACCOUNT(database, projectId))?.id;
}

/**
 * Runs `change` in a transaction and returns its result. If the account would exceed a limit, undoes the change and returns
 * that limit. A usage that already exceeds a limit may stay or shrink.
 */
export async function changeWithin<Result>(
  database: DatabaseAccess,
  limits: AccountLimits,
  of: { readonly projectId: string } | { readonly userId: string },
  change: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result | ExceededLimit> {
  const kinds = limitedKinds(limits);
  return await undoneBeyondLimit(database, async (transaction) => {
    if (kinds.length === 0) return await change(transaction);
    const accountId = 'userId' in of ? of.userId : await lockAccount(transaction, of.projectId);
    if (accountId === undefined) return await change(transaction);
    if ('userId' in of) await LOCK_USER(transaction, accountId);
    const before = await findUsageOfAccount(transaction, accountId, kinds);
    const result = await change(transaction);
    const after = await findUsageOfAccount(transaction, accountId, kinds);
    assertWithin(limits, after, (limit) => after[limit] > before[limit]);
    return result;
  });
}

export async function changeTemplates<Result>(
  database: DatabaseAccess,
  projectId: string,
  limits: TemplateLimits | undefined,
  change: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result | ExceededLimit> {
  const { templates = 0, templateBytes = 0 } = limits ?? {};
  return await changeWithin(database, { templates, templateBytes }, { projectId }, change);
}

/** Throws `LimitExceeded` when the account that has just taken a project over now exceeds a limit. */
export async function assertRoomFor(
  database: DatabaseAccess,
  limits: AccountLimits,
  { projectId, accountId }: { readonly projectId: string; readonly accountId: string },
): Promise<void> {
  await LOCK_USER(database, accountId);
  const kinds = limitedKinds(limits);
  const added = await findUsageOfProject(database, projectId, kinds);
  const usage = await findUsageOfAccount(database, accountId, kinds);
  assertWithin(limits, usage, (limit) => added[limit] > 0);
}

export async function undoneBeyondLimit<Result>(
  database: DatabaseAccess,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result | ExceededLimit> {
  try {
    return await inTransaction(database, work);
  } catch (error) {
    if (error instanceof LimitExceeded) return error.code;
    throw error;
  }
}

function assertWithin(
  limits: AccountLimits,
  usage: AccountUsage,
  hasGrown: (limit: keyof AccountUsage) => boolean,
): void {
  for (const limit of limitedKinds(limits)) {
    const isExceeded = usage[limit] > (limits[limit] ?? 0);
    if (isExceeded && hasGrown(limit)) throw new LimitExceeded(CODES[limit]);
  }
}

function limitedKinds(limits: AccountLimits): readonly (keyof AccountUsage)[] {
  return ALL_KINDS.filter((kind) => (limits[kind] ?? 0) > 0);
}
