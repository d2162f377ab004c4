import { Member, MemberRole } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { ACCOUNT_LIMIT_CODES } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { memberParams } from './member-schema.ts';
import { assertChanged, assertMember } from './membership-change.ts';

const CODES = [
  'forbidden',
  'not_found',
  'last_owner',
  'project_account',
  'conflict',
  ...ACCOUNT_LIMIT_CODES,
] as const;
const body = z.strictObject({ role: MemberRole }).meta({ examples: [{ role: 'ADMIN' }] });

/** `PATCH /projects/:id/members/:userId`: 200 with the member in the new role. */
export function changeRole(app: ZodApp, { authorize, config, database }: Deps): void {
  const { limits } = config;
  const schema = {
    tags: ['members'],
    operationId: 'changeRole',
    summary: "Change a member's role",
    description:
      'For an OWNER. The OWNER for whom the project counts gets another role from another OWNER only, who thereby takes the project over.',
    problems: CODES,
    params: memberParams,
    body,
    response: { 200: Member },
  };
  app.patch('/projects/:id/members/:userId', { schema }, async (request) => {
    const { userId, params, body: wanted } = request;
    const key = { projectId: params.id, userId, memberId: params.userId };
    const found = await authorize(userId, 'changeRoles', await db.findMember(database, key));
    const member = assertMember(found.member);
    const { projectId, role: seenRole } = member;
    const seen = { projectId, userId: member.userId, seenRole, by: userId };
    assertChanged(await db.updateRole(database, seen, wanted.role, limits), limits);
    return { ...member, role: wanted.role };
  });
}
