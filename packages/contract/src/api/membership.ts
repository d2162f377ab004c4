import * as z from 'zod';
import { EXAMPLE } from './example.ts';

export const MemberRole = z.enum(['MEMBER', 'ADMIN', 'OWNER']).meta({ id: 'MemberRole' });
export type MemberRole = z.infer<typeof MemberRole>;

export const ProjectMembership = z.object({
  id: z.string(),
  userId: z.string(),
  projectId: z.string(),
  role: MemberRole,
});
export type ProjectMembership = z.infer<typeof ProjectMembership>;

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
