import { Member, MemberRole } from '@session/contract';
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

const body = z.strictObject({ role: MemberRole }).meta({ examples: [{ role: 'ADMIN' }] });

export function changeRole(
  app: ZodApp,
  { authorize, config, database, inProjectTurn }: Deps,
): void {
  const { limits } = config;
  const schema = {
    tags: ['members'],
    operationId: 'changeRole',
    summary: "Change a member's role",
    description:
      'For an OWNER. The OWNER for whom the project counts gets another role from another OWNER only, who thereby takes the project over.',
    problems: MEMBERSHIP_CODES,
    params: memberParams,
    body,
    response: { 200: Member },
  };
  const route = { schema, config: { people: true } };
  app.patch('/projects/:id/members/:userId', route, async (request) => {
    const { userId, params, body: wanted } = request;
    const key = { projectId: params.id, userId, memberId: params.userId };
    const found = await authorize(userId, 'changeRoles', await db.findMember(database, key));
    const member = assertMember(found.member);
    const { projectId, role: seenRole } = member;
    const seen = { projectId, userId: member.userId, seenRole, by: userId };
    const caller = { projectId, userId, actions: ['changeRoles'] } as const;
    const outcome = await whileAuthorized(inProjectTurn, caller, (transaction) =>
      db.updateRole(transaction, seen, wanted.role, limits),
    );
    assertChanged(outcome, limits);
    return { ...member, role: wanted.role };
  });
}
