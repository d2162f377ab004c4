import type { MemberRole } from '@session/contract';
import { type DatabaseAccess, findUser } from '@session/db';
import { AppError } from '@session/kit';

interface Rule {
  readonly least: MemberRole;
  readonly leastForOwn?: MemberRole;
  /** Only the creator of the object may do the action. All others are refused with this detail. */
  readonly refusalOfOthers?: string;
}

/**
 * The role that each action in a project requires. What API keys and end users may do also depends on `people` and
 * `participant` of the routes, and on `assertMayAsk`.
 */
const RULES = {
  // The project, its members, end users, templates, sessions, messages, agents and logs.
  read: { least: 'MEMBER' },
  createSession: { least: 'MEMBER' },
  changeSession: { least: 'MEMBER' },
  joinSession: { least: 'MEMBER' },
  say: { least: 'MEMBER' },
  importMessages: { least: 'ADMIN' },
  letParticipantsIn: { least: 'ADMIN' },
  startAgent: { least: 'MEMBER' },
  closeSession: { least: 'ADMIN', leastForOwn: 'MEMBER' },
  stopAgent: { least: 'ADMIN', leastForOwn: 'MEMBER' },
  joinAsAgent: {
    least: 'MEMBER',
    // An agent ends with the membership of its creator. With its token, others could stay in the room after the end of
    // their own membership.
    refusalOfOthers:
      'Only the account that started this agent gets its tokens. Start another agent, once this one has stopped.',
  },
  deleteSession: { least: 'ADMIN' },
  // Messages, participants, end users and sessions.
  erase: { least: 'ADMIN' },
  writeTemplates: { least: 'ADMIN' },
  renameProject: { least: 'ADMIN' },
  // A member of the role MEMBER.
  addMember: { least: 'ADMIN' },
  removeMember: { least: 'ADMIN' },
  // A member of a higher role.
  addLeader: { least: 'OWNER' },
  removeLeader: { least: 'OWNER' },
  manageApiKeys: { least: 'ADMIN' },
  readAudit: { least: 'ADMIN' },
  manageWebhooks: { least: 'ADMIN' },
  issueAdminKey: { least: 'OWNER' },
  leaveProject: { least: 'MEMBER' },
  changeRoles: { least: 'OWNER' },
  // Deletes what is older than the retention, in all sessions.
  setRetention: { least: 'OWNER' },
  deleteProject: { least: 'OWNER' },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof RULES;

const RANK = { MEMBER: 0, ADMIN: 1, OWNER: 2 } as const satisfies Record<MemberRole, number>;

interface OwnedRow {
  readonly memberRole: MemberRole;
  readonly createdBy?: string;
}

export function accountGone(): AppError {
  return new AppError('unauthorized', 'the user no longer exists', {
    detail: 'This account no longer exists: sign up again.',
  });
}

/**
 * Returns `found`, the row for `userId`, if this user may do `action` to it; otherwise throws `forbidden`. Without a
 * row, throws `unauthorized` if the user does not exist, and otherwise `not_found`, as for a row of another project.
 */
export type Authorize = <Row extends OwnedRow>(
  userId: string,
  action: Action,
  found: Row | undefined,
) => Promise<Row>;

export function createAuthorize(database: DatabaseAccess): Authorize {
  return async (userId, action, found) => {
    if (!found) {
      if (await findUser(database, userId)) {
        throw new AppError('not_found', `${action}: no such row, or one of another project`);
      }
      throw accountGone();
    }
    const rule: Rule = RULES[action];
    const isOwn = found.createdBy === userId;
    if (rule.refusalOfOthers !== undefined && !isOwn) {
      throw new AppError('forbidden', `${action} by another account`, {
        detail: rule.refusalOfOthers,
      });
    }
    const least = (isOwn && rule.leastForOwn) || rule.least;
    if (RANK[found.memberRole] < RANK[least]) {
      const detail = await detailFor(database, userId, least, found.memberRole);
      throw new AppError('forbidden', `${action} by a ${found.memberRole}`, { detail });
    }
    return found;
  };
}

const NO_KEY =
  'This requires the role OWNER in the project, which no API key can have: an OWNER must do it.';

/** The address of a key is not an e-mail address: see `HAS_ADDRESS` of packages/db. */
async function isApiKey(database: DatabaseAccess, userId: string): Promise<boolean> {
  const user = await findUser(database, userId);
  return user !== undefined && !user.email.includes('@');
}

async function detailFor(
  database: DatabaseAccess,
  userId: string,
  least: MemberRole,
  role: MemberRole,
): Promise<string> {
  if (least === 'OWNER' && (await isApiKey(database, userId))) return NO_KEY;
  const orKey = least === 'OWNER' ? '' : ', or for an API key with one';
  return `This requires the role ${least} in the project; yours is ${role}. Ask an OWNER for a higher role${orKey}.`;
}
