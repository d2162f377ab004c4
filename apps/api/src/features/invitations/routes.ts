import type { Deps } from '../../deps.ts';
import type { WrongLinks } from '../../http/links/wrong-links.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import type { Mails } from '../../mail/mails.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { deleteInvitation } from './delete-invitation.ts';
import { listInvitations } from './list-invitations.ts';
import { lookAtInvitation } from './look-at-invitation.ts';

export function invitationRoutes(
  app: ZodApp,
  deps: Deps,
  { mails, wrongLinks }: { readonly mails: Mails; readonly wrongLinks: WrongLinks },
): void {
  listInvitations(app, deps);
  createInvitation(app, deps, mails);
  deleteInvitation(app, deps);
  lookAtInvitation(app, deps, wrongLinks);
  acceptInvitation(app, deps, wrongLinks);
}
