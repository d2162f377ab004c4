import { AcceptedInvitation } from '@session/contract';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { linkHashOf } from '../../http/links/link-secret.ts';
import type { WrongLinks } from '../../http/links/wrong-links.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { secretBody } from './look-at-invitation.ts';

export function acceptInvitation(app: ZodApp, deps: Deps, wrongLinks: WrongLinks): void {
  const { database, inProjectTurn } = deps;
  const schema = {
    tags: ['invitations'],
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Makes you a member of the project, and uses the link up. A member stays one, with the higher of both roles.',
    problems: ['link_invalid', 'too_many_requests'] as const,
    body: secretBody,
    response: { 200: AcceptedInvitation },
  };
  const route = { schema, config: { people: true } };
  app.post('/invitations/accept', route, async (request, reply) => {
    await wrongLinks.refuseNetwork(request, reply);
    const { userId } = request;
    const member = { membershipId: uuidv7(), userId };
    const secretHash = linkHashOf(request.body.secret);
    const open = await db.findOpenInvitation(database, secretHash);
    const accepted =
      open &&
      (await inProjectTurn(open.projectId, userId, (unlimited) =>
        db.acceptInvitation(unlimited, secretHash, member),
      ));
    return accepted ?? (await wrongLinks.refuse(request));
  });
}
