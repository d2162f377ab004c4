import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import {
  assertChanged,
  assertMember,
  MEMBERSHIP_CODES,
  memberParams,
} from './membership-change.ts';

/** The housekeeping removes the user from the rooms until every token of the user has expired. */
export function removeMember(
  app: ZodApp,
  { authorize, config, database, inProjectTurn }: Deps,
): void {
  const { limits } = config;
  const response = { 204: z.null() };
  const schema = {
    tags: ['members'],
    operationId: 'removeMember',
    summary: 'Remove a member, or leave the project',
    description:
      'An ADMIN removes MEMBERs, an OWNER anyone, and everybody may leave. The person is also sent out of the rooms of the project, with the end users whom they let in and the external agents that they started. API keys that the person made stay. The OWNER for whom the project counts cannot leave: another OWNER removes them, and thereby takes the project over.',
    problems: MEMBERSHIP_CODES,
    params: memberParams,
    response,
  };
  const route = { schema, config: { people: true } };
  app.delete('/projects/:id/members/:userId', route, async (request, reply) => {
    const { userId, params } = request;
    const key = { projectId: params.id, userId, memberId: params.userId };
    const found = await db.findMember(database, key);
    const isHigherRole = found?.member && found.member.role !== 'MEMBER';
    const removal = isHigherRole ? 'removeLeader' : 'removeMember';
    const action = userId === params.userId ? 'leaveProject' : removal;
    const { member } = await authorize(userId, action, found);
    const { projectId, role: seenRole } = assertMember(member);
    const seen = { projectId, userId: params.userId, seenRole, by: userId };
    const caller = { projectId, userId, actions: [action] } as const;
    const outcome = await whileAuthorized(inProjectTurn, caller, (transaction) =>
      db.deleteMembership(transaction, seen, limits),
    );
    assertChanged(outcome, limits);
    return reply.code(204).send(null);
  });
}
