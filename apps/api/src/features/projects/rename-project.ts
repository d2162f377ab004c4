import { Project } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectBody, projectFor, projectParams } from './project-schema.ts';

export function renameProject(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: Project };
  const schema = {
    tags: ['projects'],
    operationId: 'renameProject',
    summary: 'Rename a project',
    description: 'For an ADMIN or an OWNER of the project.',
    problems: ['forbidden', 'not_found'] as const,
    params: projectParams,
    body: projectBody,
    response,
  };
  app.patch('/projects/:id', { schema }, async (request) => {
    const { userId, params, body } = request;
    const { id } = params;
    const membership = await db.findMembership(database, { projectId: id, userId });
    await authorize(userId, 'renameProject', membership);
    await db.renameProject(database, id, body.name, userId);
    const found = await db.findProject(database, { id, userId });
    return projectFor(request, await authorize(userId, 'read', found));
  });
}
