import { Member, MemberRole } from '@session/contract';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { Email } from '../auth/auth-schema.ts';
import { projectParams } from '../projects/project-schema.ts';

const CODES = ['forbidden', 'not_found', 'user_not_found', 'already_member'] as const;
const body = z.strictObject({ email: Email, role: MemberRole.default('MEMBER') });

/** `POST /projects/:id/members`: 201 with the user of that e-mail address as a member. */
export function addMember(app: ZodApp, { authorize, memberships, users }: Deps): void {
  const schema = { params: projectParams, body, response: { 201: Member, ...failures(...CODES) } };
  app.post('/projects/:id/members', { schema }, async (request, reply) => {
    const { userId, params, body: wanted } = request;
    const key = { projectId: params.id, userId };
    const action = wanted.role === 'MEMBER' ? 'addMember' : 'addLeader';
    await authorize(userId, action, await memberships.findMembership(key));
    const user = await users.findUserByEmail(wanted.email);
    if (!user) throw new AppError('user_not_found', 'no user has that address');
    const membership = { id: uuidv7(), projectId: params.id, userId: user.id, role: wanted.role };
    const added = await memberships.insertMembership(membership);
    if (!added) {
      // Or the project is deleted by now.
      await authorize(userId, 'read', await memberships.findMembership(key));
      throw new AppError('already_member', 'the user is a member already');
    }
    const { id, email, name } = user;
    const location = `/projects/${params.id}/members/${id}`;
    return reply
      .code(201)
      .header('location', location)
      .send({ ...added, user: { id, email, name } });
  });
}
