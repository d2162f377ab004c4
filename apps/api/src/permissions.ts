import type { MemberRole } from '@session/contract';
import type { UserQueries } from '@session/db';
import { AppError } from '@session/kit';

interface Rule {
  /** The least role that may do it. */
  readonly least: MemberRole;
  /** The least role that may do it to what it made itself; `least` when that makes no difference. */
  readonly leastForOwn?: MemberRole;
}

/** Who may do what in a project. Nothing else decides it. */
const RULES = {
  // The project, its members, sessions, messages, agents and logs.
  read: { least: 'MEMBER' },
  createSession: { least: 'MEMBER' },
  renameSession: { least: 'MEMBER' },
  joinSession: { least: 'MEMBER' },
  say: { least: 'MEMBER' },
  startAgent: { least: 'MEMBER' },
  closeSession: { least: 'ADMIN', leastForOwn: 'MEMBER' },
  stopAgent: { least: 'ADMIN', leastForOwn: 'MEMBER' },
  deleteSession: { least: 'ADMIN' },
  writeTemplates: { least: 'ADMIN' },
  renameProject: { least: 'ADMIN' },
  // Of the role MEMBER.
  addMember: { least: 'ADMIN' },
  removeMember: { least: 'ADMIN' },
  // Of a higher role.
  addLeader: { least: 'OWNER' },
  removeLeader: { least: 'OWNER' },
  leaveProject: { least: 'MEMBER' },
  changeRoles: { least: 'OWNER' },
  deleteProject: { least: 'OWNER' },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof RULES;

const RANK = { MEMBER: 0, ADMIN: 1, OWNER: 2 } as const satisfies Record<MemberRole, number>;

/** What a query gives about the caller when it joins their membership. */
interface Membered {
  /** What the caller is in the project that the row belongs to. */
  readonly memberRole: MemberRole;
  /** Who made it, if that matters. */
  readonly createdBy?: string;
}

/**
 * Gives `found`, what a query gave for `userId`, when they may do `action` to it. Throws `forbidden` when their role
 * does not allow that, `not_found` when nothing was found, as for what is not theirs, and `unauthorized` when
 * the user themself is gone: only then does it ask the database.
 */
export type Authorize = <Row extends Membered>(
  userId: string,
  action: Action,
  found: Row | undefined,
) => Promise<Row>;

/** Gives the one function that reads the table. */
export function createAuthorize(users: Pick<UserQueries, 'findUser'>): Authorize {
  return async (userId, action, found) => {
    if (!found) {
      if (await users.findUser(userId)) {
        throw new AppError('not_found', `${action}: no such row, or a foreign one`);
      }
      throw new AppError('unauthorized', 'the user is gone', {
        detail: 'The user is gone: sign up anew.',
      });
    }
    const rule: Rule = RULES[action];
    const isOwn = found.createdBy === userId;
    const least = (isOwn && rule.leastForOwn) || rule.least;
    if (RANK[found.memberRole] < RANK[least]) {
      const detail = `This needs the role ${least} in the project; yours is ${found.memberRole}. Ask an OWNER for it.`;
      throw new AppError('forbidden', `${action} by a ${found.memberRole}`, { detail });
    }
    return found;
  };
}
