import * as z from 'zod';
import { EXAMPLE } from './example.ts';

/** What a member may do in a project; each may do what the one before it may. */
export const MemberRole = z.enum(['MEMBER', 'ADMIN', 'OWNER']).meta({ id: 'MemberRole' });
export type MemberRole = z.infer<typeof MemberRole>;

/** That a user belongs to a project. */
export const ProjectMembership = z.object({
  id: z.string(),
  userId: z.string(),
  projectId: z.string(),
  role: MemberRole,
});
export type ProjectMembership = z.infer<typeof ProjectMembership>;

/** A member of a project, with who that is. */
export const Member = ProjectMembership.extend({
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }),
}).meta({
  id: 'Member',
  examples: [
    {
      id: EXAMPLE.membership,
      userId: EXAMPLE.user,
      projectId: EXAMPLE.project,
      role: 'OWNER',
      user: { id: EXAMPLE.user, email: 'ada@example.org', name: 'Ada' },
    },
  ],
});
