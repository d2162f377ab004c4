import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from './project-schema.ts';
import { whileAuthorized } from './while-authorized.ts';

export function deleteProject(app: ZodApp, { authorize, database, inProjectTurn }: Deps): void {
  const response = { 204: z.null() };
  const schema = {
    tags: ['projects'],
    operationId: 'deleteProject',
    summary: 'Delete a project with everything in it',
    description:
      'For an OWNER. From now on nobody finds the project or its sessions, and its webhooks are sent nothing. Sessions are closed and their agents stopped: up to 500 at once, the others within seconds, or minutes where there are very many. All data is deleted after that. This cannot be undone.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    response,
  };
  const route = { schema, config: { people: true } };
  app.delete('/projects/:id', route, async ({ userId, params: { id } }, reply) => {
    const membership = await db.findMembership(database, { projectId: id, userId });
    await authorize(userId, 'deleteProject', membership);
    const caller = { projectId: id, userId, actions: ['deleteProject'] } as const;
    await whileAuthorized(inProjectTurn, caller, (transaction) =>
      db.markProjectDeleted(transaction, id),
    );
    return reply.code(204).send(null);
  });
}
