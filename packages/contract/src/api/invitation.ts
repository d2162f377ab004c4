import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { MemberRole } from './membership.ts';

const invitation = {
  id: EXAMPLE.invitation,
  email: 'ben@example.org',
  role: 'MEMBER' as const,
  createdAt: EXAMPLE.at,
  createdBy: EXAMPLE.user,
  expiresAt: '2026-11-28T08:00:00.000Z',
};

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: MemberRole,
    createdAt: z.string(),
    createdBy: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'Invitation', examples: [invitation] });
export type Invitation = z.infer<typeof Invitation>;

export const IssuedInvitation = Invitation.extend({
  link: z.string().describe('Opens the project to whoever has it, once. No other answer shows it'),
  mailed: z.boolean().describe('Whether the link is also sent to the e-mail address'),
}).meta({
  id: 'IssuedInvitation',
  examples: [{ ...invitation, link: 'https://console.example.org/invitation#…', mailed: true }],
});

export const OpenInvitation = z
  .object({
    projectName: z.string(),
    email: z.string().describe('The address that was invited. Any account may accept'),
    role: MemberRole,
    expiresAt: z.string(),
  })
  .meta({
    id: 'OpenInvitation',
    examples: [
      {
        projectName: 'First',
        email: invitation.email,
        role: invitation.role,
        expiresAt: invitation.expiresAt,
      },
    ],
  });
export type OpenInvitation = z.infer<typeof OpenInvitation>;

export const AcceptedInvitation = z
  .object({
    projectId: z.string(),
    role: MemberRole.describe('Your role in the project from now on'),
  })
  .meta({
    id: 'AcceptedInvitation',
    examples: [{ projectId: EXAMPLE.project, role: 'MEMBER' }],
  });
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>;
