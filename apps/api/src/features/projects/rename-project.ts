import { Project } from '@session/contract';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectBody, projectParams } from './project-schema.ts';

/** `PATCH /projects/:id`: 200 with the project under its new name. */
export function renameProject(app: ZodApp, { authorize, projects, memberships }: Deps): void {
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
  app.patch('/projects/:id', { schema }, async ({ userId, params: { id }, body: { name } }) => {
    const membership = await memberships.findMembership({ projectId: id, userId });
    await authorize(userId, 'renameProject', membership);
    await projects.renameProject(id, name);
    return await authorize(userId, 'read', await projects.findProject({ id, userId }));
  });
}
