import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { memberParams } from './member-schema.ts';
import { assertChanged, assertMember } from './membership-change.ts';

const CODES = ['forbidden', 'not_found', 'last_owner', 'conflict'] as const;

/**
 * `DELETE /projects/:id/members/:userId`: 204 when the member is removed, or has left. The housekeeping sends them out of
 * the project's rooms, and does so again for as long as a token that they may have can bring them back.
 */
export function removeMember(app: ZodApp, { authorize, memberships }: Deps): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['members'],
    operationId: 'removeMember',
    summary: 'Remove a member, or leave',
    problems: CODES,
    params: memberParams,
    response,
  };
  app.delete('/projects/:id/members/:userId', { schema }, async (request, reply) => {
    const { userId, params } = request;
    const key = { projectId: params.id, userId, memberId: params.userId };
    const found = await memberships.findMember(key);
    const isLeader = found?.member && found.member.role !== 'MEMBER';
    const action = isLeader ? 'removeLeader' : 'removeMember';
    const { member } = await authorize(
      userId,
      userId === params.userId ? 'leaveProject' : action,
      found,
    );
    const { projectId, role: seenRole } = assertMember(member);
    const seen = { projectId, userId: params.userId, seenRole };
    assertChanged(await memberships.deleteMembership(seen));
    return reply.code(204).send(null);
  });
}
