import { allRows, firstRow, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { MembershipRow } from './membership-changes.ts';

export interface UserRow {
  readonly id: string;
  /** Lower case, and unique. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface UserForLogin extends UserRow {
  readonly passwordHash: string;
  readonly loginNetworks: readonly string[];
  readonly tokenVersion: number;
}

interface UserWithMemberships extends UserRow {
  readonly projectMemberships: (MembershipRow & {
    readonly project: { readonly id: string; readonly name: string };
  })[];
}

export interface Identity {
  readonly identity: string;
  /** Lower case, and verified by the provider. */
  readonly email: string;
}

export interface SignedInUser extends UserRow {
  readonly tokenVersion: number;
}

/** Whether a row of `users` is a person with an account that was not deleted. */
export const HAS_ADDRESS = `position('@' in email) > 0`;

const COLUMNS = `users.id, users.email, users.name, users.created_at as "createdAt"`;

interface FoundUser extends UserRow {
  readonly externalId: string | null;
}

export const findUser = statement('find_user', (id: string) => [id], firstRow<FoundUser>)`
select ${COLUMNS}, users.external_id as "externalId" from users where id = $1`;

export const findUserByEmail = statement(
  'find_user_by_email',
  (email: string) => [email],
  firstRow<UserForLogin>,
)`
select ${COLUMNS}, users.password_hash as "passwordHash", users.login_networks as "loginNetworks",
  users.token_version as "tokenVersion"
from users
where email = $1`;

export const rememberLoginNetwork = statement(
  'remember_login_network',
  (id: string, network: string) => [id, network],
  nothing,
)`
update users
set login_networks = (array[$2::text] || array_remove(login_networks, $2::text))[1:8]
where id = $1`;

type UserMembership = UserRow &
  (
    | { readonly membershipId: null }
    | {
        readonly membershipId: string;
        readonly projectId: string;
        readonly role: MembershipRow['role'];
        readonly projectName: string;
      }
  );

export const FIND_USER_WITH_MEMBERSHIPS = statement(
  'find_user_with_memberships',
  (id: string) => [id],
  allRows<UserMembership>,
)`
select ${COLUMNS},
  membership.id as "membershipId",
  membership.project_id as "projectId",
  membership.role,
  project.name as "projectName"
from users
left join memberships membership on membership.user_id = users.id
left join projects project on project.id = membership.project_id
where users.id = $1
order by membership.id`;

export async function findUserWithMemberships(
  database: DatabaseAccess,
  userId: string,
): Promise<UserWithMemberships | undefined> {
  const rows = await FIND_USER_WITH_MEMBERSHIPS(database, userId);
  const [first] = rows;
  if (!first) return undefined;
  const projectMemberships = rows.flatMap((row) => {
    if (row.membershipId === null) return [];
    const { membershipId: id, projectId, role, projectName: name } = row;
    return [{ id, userId, projectId, role, project: { id: projectId, name } }];
  });
  return { ...userRow(first), projectMemberships };
}

/** Stores a user. Returns undefined when the lower-case `email` has a user already. */
export const insertUser = statement(
  'insert_user',
  (user: {
    id: string;
    email: string;
    name: string;
    passwordHash: string;
    loginNetwork?: string;
  }) => [user.id, user.email, user.name, user.passwordHash, user.loginNetwork ?? null],
  firstRow<UserRow>,
)`
insert into users (id, email, name, password_hash, login_networks)
values ($1, $2, $3, $4, array_remove(array[$5::text], null))
on conflict (email) do nothing
returning ${COLUMNS}`;

const SIGNED_IN = `${COLUMNS}, users.token_version as "tokenVersion"`;

export const findUserOfIdentity = statement(
  'find_user_of_identity',
  (identity: string) => [identity],
  firstRow<SignedInUser>,
)`
select ${SIGNED_IN} from users where provider_identity = $1`;

/** Stores a user without a password. Returns undefined when the address or the identity has a user already. */
export const insertUserOfIdentity = statement(
  'insert_user_of_identity',
  (user: Identity & { readonly id: string; readonly name: string }) => [
    user.id,
    user.identity,
    user.email,
    user.name,
  ],
  firstRow<SignedInUser>,
)`
insert into users (id, provider_identity, email, name, password_hash)
values ($1, $2, $3, $4, '')
on conflict do nothing
returning ${SIGNED_IN}`;

function userRow({ id, email, name, createdAt }: UserRow): UserRow {
  return { id, email, name, createdAt };
}
