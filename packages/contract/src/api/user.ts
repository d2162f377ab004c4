import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { ProjectMembership } from './membership.ts';

const ADA = {
  id: EXAMPLE.user,
  email: 'ada@example.org',
  name: 'Ada',
  createdAt: EXAMPLE.at,
};

export const User = z
  .object({ id: z.string(), email: z.string(), name: z.string(), createdAt: z.string() })
  .meta({ id: 'User', examples: [ADA] });
export type User = z.infer<typeof User>;

export const Login = z
  .object({ user: User, token: z.string() })
  .meta({ id: 'Login', examples: [{ user: ADA, token: 'eyJhbGciOiJIUzI1NiJ9…' }] });
export type Login = z.infer<typeof Login>;

export const Me = User.extend({
  projectMemberships: z.array(
    ProjectMembership.extend({ project: z.object({ id: z.string(), name: z.string() }) }),
  ),
}).meta({
  id: 'Me',
  examples: [
    {
      ...ADA,
      projectMemberships: [
        {
          id: EXAMPLE.membership,
          userId: EXAMPLE.user,
          projectId: EXAMPLE.project,
          role: 'OWNER',
          project: { id: EXAMPLE.project, name: 'First' },
        },
      ],
    },
  ],
});
export type Me = z.infer<typeof Me>;
