import { OpenInvitation } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { linkHashOf } from '../../http/links/link-secret.ts';
import { LinkSecret, type WrongLinks } from '../../http/links/wrong-links.ts';
import type { ZodApp } from '../../http/zod-app.ts';

export const secretBody = z
  .strictObject({ secret: LinkSecret })
  .meta({ examples: [{ secret: 'what-follows-the-hash' }] });

export function lookAtInvitation(app: ZodApp, { database }: Deps, wrongLinks: WrongLinks): void {
  const schema = {
    tags: ['invitations'],
    operationId: 'lookAtInvitation',
    summary: 'Look at an invitation before it is accepted',
    description:
      'Needs no token. Links that are wrong, used, replaced or expired get the same answer, and are counted by network.',
    problems: ['link_invalid', 'too_many_requests'] as const,
    body: secretBody,
    response: { 200: OpenInvitation },
  };
  const route = { schema, config: { public: true } };
  app.post('/invitations/look', route, async (request, reply) => {
    await wrongLinks.refuseNetwork(request, reply);
    const found = await db.findOpenInvitation(database, linkHashOf(request.body.secret));
    if (!found) return await wrongLinks.refuse(request);
    const { projectName, email, role, expiresAt } = found;
    return { projectName, email, role, expiresAt };
  });
}
