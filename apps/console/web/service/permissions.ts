import type { ApiKey, MemberRole } from '@session/contract';

/** In ascending order. Each role may do everything that the role before it may. */
export const ROLES = ['MEMBER', 'ADMIN', 'OWNER'] as const satisfies readonly MemberRole[];

export const ROLE_SENTENCES: Readonly<Record<MemberRole, string>> = {
  MEMBER:
    'Reads everything. Creates sessions, joins them and starts agents; closes and stops what they started.',
  ADMIN:
    'Also closes and deletes any session, stops any agent, writes templates, adds and removes members, renames the project.',
  OWNER: 'Also changes roles, adds and removes admins and owners, deletes the project.',
};

const NAMES: ReadonlyMap<string, string> = new Map([
  ['MEMBER', 'Member'],
  ['ADMIN', 'Admin'],
  ['OWNER', 'Owner'],
]);

export function roleName(role: string): string {
  return NAMES.get(role) ?? role;
}

/** An unknown role may do nothing. */
export function isAtLeast(role: string | undefined, least: MemberRole): boolean {
  const known: readonly string[] = ROLES;
  const rank = known.indexOf(role ?? '');
  return rank !== -1 && rank >= ROLES.indexOf(least);
}

export function rolesToAdd(own: string | undefined): readonly MemberRole[] {
  if (isAtLeast(own, 'OWNER')) return ROLES;
  return isAtLeast(own, 'ADMIN') ? ['MEMBER'] : [];
}

export function keyRoles(own: string | undefined): readonly ApiKey['role'][] {
  if (isAtLeast(own, 'OWNER')) return ['MEMBER', 'ADMIN'];
  return isAtLeast(own, 'ADMIN') ? ['MEMBER'] : [];
}

export function mayRemove(own: string | undefined, theirs: string): boolean {
  return isAtLeast(own, theirs === 'MEMBER' ? 'ADMIN' : 'OWNER');
}

export function mayEnd(
  own: string | undefined,
  userId: string | undefined,
  createdBy: string,
): boolean {
  return isAtLeast(own, createdBy === userId ? 'MEMBER' : 'ADMIN');
}
