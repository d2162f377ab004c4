import { Project, ProjectChange } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectFor, projectParams } from './project-schema.ts';
import { whileAuthorized } from './while-authorized.ts';

export function renameProject(app: ZodApp, { authorize, database, inProjectTurn }: Deps): void {
  const response = { 200: Project };
  const schema = {
    tags: ['projects'],
    operationId: 'renameProject',
    summary:
      'Rename a project, limit how long it keeps its histories, or choose the language of its search',
    description:
      'For an ADMIN or an OWNER of the project; `retentionDays` for an OWNER. What is left out stays. What the project keeps no longer is deleted by the next daily pass, without a receipt, and cannot be brought back.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    body: ProjectChange,
    response,
  };
  app.patch('/projects/:id', { schema }, async (request) => {
    const { userId, params, body } = request;
    const { id } = params;
    const membership = await db.findMembership(database, { projectId: id, userId });
    const setsRetention = body.retentionDays !== undefined;
    const actions = ['renameProject', ...(setsRetention ? ['setRetention' as const] : [])] as const;
    for (const action of actions) await authorize(userId, action, membership);
    await whileAuthorized(inProjectTurn, { projectId: id, userId, actions }, (transaction) =>
      db.updateProject(transaction, id, body, userId),
    );
    const found = await db.findProject(database, { id, userId });
    return projectFor(request, await authorize(userId, 'read', found));
  });
}
