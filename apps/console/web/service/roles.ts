import type { MemberRole } from '@session/contract';

const ROLES: readonly string[] = ['MEMBER', 'ADMIN', 'OWNER'] satisfies readonly MemberRole[];

/** Whether `role` may do everything that `least` may. An unknown role may do nothing. */
export function isAtLeast(role: string | undefined, least: MemberRole): boolean {
  return role !== undefined && ROLES.includes(role) && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['MEMBER', 'Member'],
  ['ADMIN', 'Admin'],
  ['OWNER', 'Owner'],
]);

/** Returns the name of a role as a user reads it. An unknown role of a newer API has the API's name. */
export function roleName(role: string): string {
  return NAMES.get(role) ?? role;
}
