import { Id } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';

export function deleteInvitation(app: ZodApp, { authorize, database, inProjectTurn }: Deps): void {
  const schema = {
    tags: ['invitations'],
    operationId: 'deleteInvitation',
    summary: 'Delete an invitation',
    description: 'For an ADMIN or an OWNER. Its link is not valid any more.',
    problems: ['forbidden', 'not_found'] as const,
    params: z.object({ id: Id }),
    response: { 204: z.null() },
  };
  const route = { schema, config: { people: true } };
  app.delete('/invitations/:id', route, async ({ userId, params }, reply) => {
    const found = await db.findInvitation(database, { id: params.id, userId });
    const { projectId } = await authorize(userId, 'addMember', found);
    const caller = { projectId, userId, actions: ['addMember'] } as const;
    const isDeleted = await whileAuthorized(inProjectTurn, caller, (transaction) =>
      db.deleteInvitation(transaction, { id: params.id, projectId }, userId),
    );
    if (!isDeleted) throw new AppError('not_found', 'the invitation was used meanwhile');
    return await reply.code(204).send(null);
  });
}
