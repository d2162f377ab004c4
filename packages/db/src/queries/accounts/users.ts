import { isoFromText } from '../../columns/iso-time.ts';
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

/** Whether a row of `users` is a person whose account was not deleted. */
export const HAS_ADDRESS = `position('@' in email) > 0`;

const COLUMNS = `users.id, users.email, users.name, users.created_at as "createdAt"`;

interface FoundUser extends UserRow {
  readonly externalId: string | null;
}

export const FIND_USER = statement<[id: string], FoundUser>(
  'find_user',
  `select ${COLUMNS}, users.external_id as "externalId" from users where id = $1`,
);

export async function findUser(
  database: DatabaseAccess,
  id: string,
): Promise<FoundUser | undefined> {
  const [user] = await FIND_USER.run(database, id);
  return user && { ...userRow(user), externalId: user.externalId };
}

export const FIND_USER_BY_EMAIL = statement<[email: string], UserForLogin>(
  'find_user_by_email',
  `
select ${COLUMNS}, users.password_hash as "passwordHash", users.login_networks as "loginNetworks",
  users.token_version as "tokenVersion"
from users
where email = $1`,
);

/** Returns the user of a lower-case `email` with what a login needs, or undefined. */
export async function findUserByEmail(
  database: DatabaseAccess,
  email: string,
): Promise<UserForLogin | undefined> {
  const [user] = await FIND_USER_BY_EMAIL.run(database, email);
  if (!user) return undefined;
  const { passwordHash, loginNetworks, tokenVersion } = user;
  return { ...userRow(user), passwordHash, loginNetworks, tokenVersion };
}

export const REMEMBER_LOGIN_NETWORK = statement<[id: string, network: string]>(
  'remember_login_network',
  `
update users
set login_networks = (array[$2::text] || array_remove(login_networks, $2::text))[1:8]
where id = $1`,
);

/** Stores `network` as that of the user's last login. Of earlier networks the last seven stay. */
export async function rememberLoginNetwork(
  database: DatabaseAccess,
  id: string,
  network: string,
): Promise<void> {
  await REMEMBER_LOGIN_NETWORK.run(database, id, network);
}

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

export const FIND_USER_WITH_MEMBERSHIPS = statement<[id: string], UserMembership>(
  'find_user_with_memberships',
  `
select ${COLUMNS},
  membership.id as "membershipId",
  membership.project_id as "projectId",
  membership.role,
  project.name as "projectName"
from users
left join memberships membership on membership.user_id = users.id
left join projects project on project.id = membership.project_id
where users.id = $1
order by membership.id`,
);

export async function findUserWithMemberships(
  database: DatabaseAccess,
  userId: string,
): Promise<UserWithMemberships | undefined> {
  const rows = await FIND_USER_WITH_MEMBERSHIPS.run(database, userId);
  const [first] = rows;
  if (!first) return undefined;
  const projectMemberships = rows.flatMap((row) => {
    if (row.membershipId === null) return [];
    const { membershipId: id, projectId, role, projectName: name } = row;
    return [{ id, userId, projectId, role, project: { id: projectId, name } }];
  });
  return { ...userRow(first), projectMemberships };
}

type InsertParameters = [
  id: string,
  email: string,
  name: string,
  passwordHash: string,
  loginNetwork: string | null,
];

export const INSERT_USER = statement<InsertParameters, UserRow>(
  'insert_user',
  `
insert into users (id, email, name, password_hash, login_networks)
values ($1, $2, $3, $4, array_remove(array[$5::text], null))
on conflict (email) do nothing
returning ${COLUMNS}`,
);

/** Stores a user. Returns undefined when the lower-case `email` has a user already. */
export async function insertUser(
  database: DatabaseAccess,
  user: {
    id: string;
    email: string;
    name: string;
    passwordHash: string;
    loginNetwork?: string;
  },
): Promise<UserRow | undefined> {
  const { id, email, name, passwordHash, loginNetwork } = user;
  const [inserted] = await INSERT_USER.run(
    database,
    id,
    email,
    name,
    passwordHash,
    loginNetwork ?? null,
  );
  return inserted && userRow(inserted);
}

const SIGNED_IN = `${COLUMNS}, users.token_version as "tokenVersion"`;

export const FIND_USER_OF_IDENTITY = statement<[identity: string], SignedInUser>(
  'find_user_of_identity',
  `select ${SIGNED_IN} from users where provider_identity = $1`,
);

export async function findUserOfIdentity(
  database: DatabaseAccess,
  identity: string,
): Promise<SignedInUser | undefined> {
  const [user] = await FIND_USER_OF_IDENTITY.run(database, identity);
  return user && signedIn(user);
}

export const INSERT_USER_OF_IDENTITY = statement<
  [id: string, identity: string, email: string, name: string],
  SignedInUser
>(
  'insert_user_of_identity',
  `
insert into users (id, provider_identity, email, name, password_hash)
values ($1, $2, $3, $4, '')
on conflict do nothing
returning ${SIGNED_IN}`,
);

/** Stores a user without a password. Returns undefined when the address or the identity has a user already. */
export async function insertUserOfIdentity(
  database: DatabaseAccess,
  user: Identity & { readonly id: string; readonly name: string },
): Promise<SignedInUser | undefined> {
  const { id, identity, email, name } = user;
  const [inserted] = await INSERT_USER_OF_IDENTITY.run(database, id, identity, email, name);
  return inserted && signedIn(inserted);
}

function signedIn(user: SignedInUser): SignedInUser {
  return { ...userRow(user), tokenVersion: user.tokenVersion };
}

function userRow({ id, email, name, createdAt }: UserRow): UserRow {
  return { id, email, name, createdAt: isoFromText(createdAt) };
}
