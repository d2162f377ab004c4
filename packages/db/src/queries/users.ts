import type { Database } from '../client.ts';
import { asc, eq, sql } from '../drizzle.ts';
import { isoTime } from '../iso-time.ts';
import { memberships } from '../schema/memberships.ts';
import { projects } from '../schema/projects.ts';
import { users } from '../schema/users.ts';
import { type MembershipRow, membershipRow } from './memberships.ts';

export interface UserRow {
  readonly id: string;
  /** Lower case, as it is unique. */
  readonly email: string;
  readonly name: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
}

interface UserWithMemberships extends UserRow {
  /** The oldest first. */
  readonly projectMemberships: (MembershipRow & {
    readonly project: { readonly id: string; readonly name: string };
  })[];
}

export interface UserQueries {
  /** Gives the user, or undefined; `id` must be a UUID. */
  findUser(id: string): Promise<UserRow | undefined>;
  /** Gives the user of a lower-case `email` with the hash of their password, or undefined. */
  findUserByEmail(email: string): Promise<(UserRow & { passwordHash: string }) | undefined>;
  /** Gives the user with all their projects, or undefined; `id` must be a UUID. */
  findUserWithMemberships(id: string): Promise<UserWithMemberships | undefined>;
  /** Stores a user under an id that the caller made; gives undefined when the lower-case `email` has a user already. */
  insertUser(user: {
    id: string;
    email: string;
    name: string;
    passwordHash: string;
  }): Promise<UserRow | undefined>;
}

const row = {
  id: users.id,
  email: users.email,
  name: users.name,
  createdAt: isoTime(users.createdAt),
};

/** Prepares the statements on `users`, once for `db`. */
export function prepareUserQueries({ db }: Pick<Database, 'db'>): UserQueries {
  const id = sql.placeholder('id');
  const email = sql.placeholder('email');
  const findById = db.select(row).from(users).where(eq(users.id, id)).prepare('find_user');
  const findByEmail = db
    .select({ ...row, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
    .prepare('find_user_by_email');
  const findWithMemberships = db
    .select({
      ...row,
      membership: membershipRow,
      project: { id: projects.id, name: projects.name },
    })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .leftJoin(projects, eq(projects.id, memberships.projectId))
    .where(eq(users.id, id))
    .orderBy(asc(memberships.id))
    .prepare('find_user_with_memberships');
  const insert = db
    .insert(users)
    .values({
      id,
      email,
      name: sql.placeholder('name'),
      passwordHash: sql.placeholder('passwordHash'),
    })
    .onConflictDoNothing({ target: users.email })
    .returning(row)
    .prepare('insert_user');
  return {
    async findUser(userId) {
      const [found] = await findById.execute({ id: userId });
      return found;
    },
    async findUserByEmail(address) {
      const [found] = await findByEmail.execute({ email: address });
      return found;
    },
    async findUserWithMemberships(userId) {
      const rows = await findWithMemberships.execute({ id: userId });
      const [first] = rows;
      if (!first) return undefined;
      const { membership: _membership, project: _project, ...user } = first;
      const projectMemberships = rows.flatMap(({ membership, project }) =>
        membership && project ? [{ ...membership, project }] : [],
      );
      return { ...user, projectMemberships };
    },
    async insertUser(user) {
      const [inserted] = await insert.execute(user);
      return inserted;
    },
  };
}
