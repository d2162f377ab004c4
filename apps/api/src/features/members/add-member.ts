import { Member, MemberRole } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { Email } from '../auth/auth-schema.ts';
import { projectParams } from '../projects/project-schema.ts';
import { inAuthorizedTransaction } from '../projects/while-authorized.ts';

const CODES = [
  'forbidden',
  'not_found',
  'user_not_found',
  'already_member',
  'too_many_requests',
  ...IDEMPOTENCY_CODES,
] as const;
/** The answer reveals whether an e-mail address has an account, so more attempts would be a search for addresses. */
const PER_MINUTE = 20;
const body = z
  .strictObject({ email: Email, role: MemberRole.default('MEMBER') })
  .meta({ examples: [{ email: 'ben@example.org', role: 'MEMBER' }] });

export function addMember(app: ZodApp, { authorize, createOnce, database }: Deps): void {
  const response = { 201: Member };
  const schema = {
    tags: ['members'],
    operationId: 'addMember',
    summary: 'Add a user as a member',
    description:
      'Finds the user by the e-mail address of their account: the person must have signed up. An ADMIN adds MEMBERs; an OWNER gives any role. Limited to 20 requests a minute from one user.',
    problems: CODES,
    headers: idempotencyHeaders,
    params: projectParams,
    body,
    response,
  };
  const route = { schema, config: { people: true, ...limitedByUser(PER_MINUTE) } };
  app.post('/projects/:id/members', route, async (request, reply) => {
    const { userId, params, body: wanted } = request;
    const key = { projectId: params.id, userId };
    const action = wanted.role === 'MEMBER' ? 'addMember' : 'addLeader';
    await authorize(userId, action, await db.findMembership(database, key));
    const user = await db.findUserByEmail(database, wanted.email);
    if (!user) throw new AppError('user_not_found', 'no user has that address');
    await createOnce(request, async (transaction, id) => {
      const membership = { id, projectId: params.id, userId: user.id, role: wanted.role };
      const added = await inAuthorizedTransaction(
        transaction,
        { ...key, actions: [action] },
        (locked) => db.insertMembership(locked, membership, userId),
      );
      if (!added) throw new AppError('already_member', 'the user is a member already');
    });
    const found = await db.findMember(database, { ...key, memberId: user.id });
    const { member } = await authorize(userId, 'read', found);
    if (!member) throw new AppError('not_found', 'the member was removed meanwhile');
    const location = `/projects/${params.id}/members/${user.id}`;
    return reply.code(201).header('location', location).send(member);
  });
}
