import * as z from 'zod';
import { EXAMPLE } from './example.ts';

/** What a member may do in a project. Each role may do everything that the role before it may. */
export const MemberRole = z.enum(['MEMBER', 'ADMIN', 'OWNER']).meta({ id: 'MemberRole' });
export type MemberRole = z.infer<typeof MemberRole>;

/** States that a user is a member of a project, and in which role. */
export const ProjectMembership = z.object({
  id: z.string(),
  userId: z.string(),
  projectId: z.string(),
  role: MemberRole,
});
export type ProjectMembership = z.infer<typeof ProjectMembership>;

/** A membership with the user to whom it belongs. */
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
