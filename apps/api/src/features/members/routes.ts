import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { addMember } from './add-member.ts';
import { changeRole } from './change-role.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';

export function memberRoutes(app: ZodApp, deps: Deps): void {
  listMembers(app, deps);
  addMember(app, deps);
  changeRole(app, deps);
  removeMember(app, deps);
}
