import { Id } from '@session/contract';
import type { MemberRow, MembershipChange } from '@session/db';
import { AppError } from '@session/kit';
import type { Config } from '../../config.ts';
import { ACCOUNT_LIMIT_CODES, assertRoomForProject } from '../../http/limit-errors.ts';
import { projectParams } from '../projects/project-schema.ts';

export const memberParams = projectParams.extend({ userId: Id });

export const MEMBERSHIP_CODES = [
  'forbidden',
  'not_found',
  'last_owner',
  'project_account',
  'conflict',
  ...ACCOUNT_LIMIT_CODES,
] as const;

export function assertMember(member: MemberRow | undefined): MemberRow {
  if (member) return member;
  const detail = 'The project has no such member. GET /projects/{id}/members lists its members.';
  throw new AppError('not_found', 'the user is not a member', { detail });
}

/**
 * Throws unless the change was made: `last_owner`, `project_account`, `conflict` if another request changed the
 * membership first, or the limit of the account that would take over the project.
 */
export function assertChanged(outcome: MembershipChange, limits: Config['limits']): void {
  assertRoomForProject(outcome, limits);
  if (outcome === 'done') return;
  if (outcome === 'last_owner') throw new AppError('last_owner', 'the project has no other owner');
  if (outcome === 'project_account') {
    throw new AppError('project_account', 'the project counts for the account of this owner');
  }
  const detail =
    'Another request changed this membership at the same moment: read its present state, then retry if the change still applies.';
  throw new AppError('conflict', 'the membership changed since it was read', { detail });
}
