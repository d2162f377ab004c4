import { hasCode } from '@session/kit';
import { allRows, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { projectsOf } from './account-usage.ts';
import { DELETE_ACCOUNT } from './ended-tokens.ts';
import { removeMembersText } from './membership-changes.ts';
import { HAS_ADDRESS } from './users.ts';

const NAMED_PROJECTS = 10;

export interface AccountChange {
  readonly userId: string;
  readonly name: string | undefined;
  /** With an address, nothing changes unless the account still has `passwordHash`. */
  readonly email: string | undefined;
  readonly passwordHash: string | undefined;
  readonly loginNetwork: string;
}

export const UPDATE_ACCOUNT = statement(
  'update_account',
  ({ userId, name, email, loginNetwork, passwordHash }: AccountChange) => [
    userId,
    name ?? null,
    email ?? null,
    loginNetwork,
    passwordHash ?? null,
  ],
  hasRows,
)`
with changed as (
  update users set
    name = coalesce($2, name),
    email = coalesce($3, email),
    login_networks = case when $3 is null or $3 = email then login_networks else array[$4::text] end
  where id = $1 and ${HAS_ADDRESS} and ($3::text is null or password_hash = $5)
  returning id
), withdrawn as (
  -- A link that was sent to the former address.
  delete from password_links link using changed where link.user_id = changed.id and $3::text is not null
)
select 1 from changed`;

export const LOCK_USER_FOR_UPDATE = statement(
  'lock_user_for_update',
  (userId: string) => [userId],
  nothing,
)`
select from users where id = $1 for update`;

/**
 * Changes the given fields. Returns `email_taken` if another account has this lower-case `email`, and `unchanged` if the
 * account is deleted, or an `email` is given and `passwordHash` is outdated.
 */
export async function updateAccount(
  database: DatabaseAccess,
  change: AccountChange,
): Promise<'done' | 'email_taken' | 'unchanged'> {
  try {
    return await inTransaction(database, async (transaction) => {
      // The next statement then sees a link that was stored while this statement waited.
      if (change.email !== undefined) await LOCK_USER_FOR_UPDATE(transaction, change.userId);
      return (await UPDATE_ACCOUNT(transaction, change)) ? 'done' : 'unchanged';
    });
  } catch (error) {
    if (hasCode(error, '23505')) return 'email_taken';
    throw error;
  }
}

export interface NamedProject {
  readonly id: string;
  readonly name: string;
}

/**
 * A deletion is refused while a project has this account: `last_owner` if a project has no other owner, `project_account` if
 * another owner must take the projects over first. `changed`: memberships changed meanwhile, or the account is deleted.
 */
export type AccountDeletion =
  | { readonly outcome: 'done'; readonly version: number }
  | { readonly outcome: 'changed' }
  | {
      readonly outcome: 'last_owner' | 'project_account';
      readonly projects: readonly NamedProject[];
    };

interface OwnedProject extends NamedProject {
  readonly hasOtherOwner: boolean;
}

export const LOCK_PROJECTS_OF_MEMBER = statement(
  'lock_projects_of_member',
  (userId: string) => [userId],
  allRows<{ readonly id: string }>,
)`
select project.id
from memberships membership
join projects project on project.id = membership.project_id
where membership.user_id = $1
order by project.id
for no key update of project`;

export const LIST_PROJECTS_OF_ACCOUNT = statement(
  'list_projects_of_account',
  (userId: string) => [userId],
  allRows<OwnedProject>,
)`
with counted as materialized (${projectsOf('$1')})
select project.id, project.name, exists (
  select from memberships other
  where other.project_id = project.id and other.user_id <> $1 and other.role = 'OWNER'
) as "hasOtherOwner"
from counted join projects project on project.id = counted.project_id
order by project.id`;

export const DELETE_MEMBERSHIPS_OF_USER = statement(
  'delete_memberships_of_user',
  (userId: string) => [userId],
  allRows<{ readonly projectId: string }>,
)`${removeMembersText('user_id = $1', 'user_id', 'member.removed')}
select project_id as "projectId" from deleted`;

/** Deletes an account, ends its tokens, and bars it from all rooms. The row stays for the bars and for its token version. */
export async function deleteAccount(
  database: DatabaseAccess,
  userId: string,
): Promise<AccountDeletion> {
  return await undoneIfChanged(database, async (transaction) => {
    // Locks the projects first, as everywhere else, against deadlocks.
    const locked = await LOCK_PROJECTS_OF_MEMBER(transaction, userId);
    // A membership that is added meanwhile waits for this lock, and then finds the account deleted.
    await LOCK_USER_FOR_UPDATE(transaction, userId);
    const owned = await LIST_PROJECTS_OF_ACCOUNT(transaction, userId);
    const orphaned = owned.filter(({ hasOtherOwner }) => !hasOtherOwner);
    if (orphaned.length > 0) return refused('last_owner', orphaned);
    if (owned.length > 0) return refused('project_account', owned);
    const left = await DELETE_MEMBERSHIPS_OF_USER(transaction, userId);
    const ids = new Set(locked.map(({ id }) => id));
    if (!left.every(({ projectId }) => ids.has(projectId))) throw new Changed();
    const version = await DELETE_ACCOUNT(transaction, userId);
    if (version === undefined) throw new Changed();
    return { outcome: 'done', version };
  });
}

function refused(outcome: 'last_owner' | 'project_account', projects: readonly NamedProject[]) {
  return { outcome, projects: projects.slice(0, NAMED_PROJECTS) };
}

class Changed extends Error {}

async function undoneIfChanged(
  database: DatabaseAccess,
  work: (transaction: DatabaseAccess) => Promise<AccountDeletion>,
): Promise<AccountDeletion> {
  try {
    return await inTransaction(database, work);
  } catch (error) {
    if (error instanceof Changed) return { outcome: 'changed' };
    throw error;
  }
}
