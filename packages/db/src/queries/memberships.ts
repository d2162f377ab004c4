import type { Database } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { memberships } from '../schema/memberships.ts';

export type MemberRole = (typeof memberships.$inferSelect)['role'];

export interface MembershipRow {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly role: MemberRole;
}

export interface MembershipQueries {
  /** Gives what the user is in the project, or undefined: unknown, deleted and foreign projects look the same. */
  findMembership(key: {
    userId: string;
    projectId: string;
  }): Promise<{ memberRole: MemberRole } | undefined>;
  /** Stores a membership under an id that the caller made; gives undefined when the user is a member already. */
  insertMembership(membership: MembershipRow): Promise<MembershipRow | undefined>;
}

/** What all reads of memberships give. */
export const membershipRow = {
  id: memberships.id,
  userId: memberships.userId,
  projectId: memberships.projectId,
  role: memberships.role,
};

/** Prepares the statements on `memberships`, once for `db`. */
export function prepareMembershipQueries({ db }: Pick<Database, 'db'>): MembershipQueries {
  const userId = sql.placeholder('userId');
  const projectId = sql.placeholder('projectId');
  const find = db
    .select({ memberRole: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.userId, userId), eq(memberships.projectId, projectId)))
    .prepare('find_membership');
  const insert = db
    .insert(memberships)
    .values({ id: sql.placeholder('id'), userId, projectId, role: sql.placeholder('role') })
    .onConflictDoNothing({ target: [memberships.userId, memberships.projectId] })
    .returning(membershipRow)
    .prepare('insert_membership');
  return {
    async findMembership(key) {
      const [found] = await find.execute(key);
      return found;
    },
    async insertMembership(membership) {
      const [inserted] = await insert.execute({ ...membership });
      return inserted;
    },
  };
}
