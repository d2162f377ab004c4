import { IssuedInvitation, MemberRole } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { linkOf, newLinkSecret } from '../../http/links/link-secret.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import type { Mails } from '../../mail/mails.ts';
import { Email } from '../auth/auth-schema.ts';
import { projectParams } from '../projects/project-schema.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { invitationMail } from './invitation-mail.ts';
import { INVITATIONS_PER_MINUTE, INVITATIONS_PER_PROJECT } from './invitation-schema.ts';

const body = z
  .strictObject({ email: Email, role: MemberRole.default('MEMBER') })
  .meta({ examples: [{ email: 'ben@example.org', role: 'MEMBER' }] });

export function createInvitation(app: ZodApp, deps: Deps, mails: Mails): void {
  const { authorize, config, database, inProjectTurn } = deps;
  const content = { 'application/json': { schema: IssuedInvitation } };
  const response = { 201: { description: 'The invitation, with its link', content } };
  const schema = {
    tags: ['invitations'],
    operationId: 'createInvitation',
    summary: 'Invite a person by a link',
    description: `For those who may add such a member. The link is valid for 7 days and once, for whoever has it, with any account. It is sent to the e-mail address if the service sends mails, and only this answer shows it: hand it on yourself where \`mailed\` is false. Another invitation for the same address replaces the link. An invitation ends when the person who made it loses the right to make it. A project has at most ${INVITATIONS_PER_PROJECT} open ones.`,
    problems: [
      'forbidden',
      'not_found',
      'already_member',
      'invitation_capacity',
      'too_many_requests',
    ] as const,
    params: projectParams,
    body,
    response,
  };
  const route = { schema, config: { people: true, ...limitedByUser(INVITATIONS_PER_MINUTE) } };
  app.post('/projects/:id/invitations', route, async (request, reply) => {
    const { userId, params, body: wanted } = request;
    const { email, role } = wanted;
    const caller = { projectId: params.id, userId };
    const action = role === 'MEMBER' ? 'addMember' : 'addLeader';
    await authorize(userId, action, await db.findMembership(database, caller));
    const { secret, secretHash } = newLinkSecret();
    const invitation = { id: uuidv7(), ...caller, email, role, secretHash, createdBy: userId };
    const created = await whileAuthorized(
      inProjectTurn,
      { ...caller, actions: [action] },
      (transaction) => db.insertInvitation(transaction, invitation, INVITATIONS_PER_PROJECT),
    );
    if (created === 'already_member') {
      throw new AppError('already_member', 'a member has that address');
    }
    if (created === 'refused') {
      throw new AppError('invitation_capacity', `${INVITATIONS_PER_PROJECT} open invitations`);
    }
    const link = linkOf(config.consoleUrl, 'invitation', secret);
    const mailed = await mails.send(request, email, async () => {
      const open = await db.findOpenInvitation(database, secretHash);
      const by = await db.findUser(database, userId);
      return open && by && invitationMail({ ...open, by, link });
    });
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...created, link, mailed });
  });
}
