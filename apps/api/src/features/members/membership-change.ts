import type { MemberRow, MembershipChange } from '@session/db';
import { AppError } from '@session/kit';

/** Gives the member; throws `not_found` when the project has no such one. */
export function assertMember(member: MemberRow | undefined): MemberRow {
  if (member) return member;
  const detail = 'The project has no such member: GET its members lists them.';
  throw new AppError('not_found', 'the user is no member', { detail });
}

/** Throws `last_owner`, or `conflict` when the member's role was changed by another request at the same moment. */
export function assertChanged(outcome: MembershipChange): void {
  if (outcome === 'done') return;
  if (outcome === 'last_owner') throw new AppError('last_owner', 'nobody else owns the project');
  const detail = 'The membership was changed at the same moment: read it again.';
  throw new AppError('conflict', 'the membership is not as it was seen', { detail });
}
