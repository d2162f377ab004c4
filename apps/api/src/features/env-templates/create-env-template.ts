import { EnvTemplate, NewEnvTemplate } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { envTemplateOf, nameTaken, projectParams } from './env-template-schema.ts';

/**
 * `POST /projects/:projectId/env-templates`: 201 with the template, whose values nobody reads any more but the agents. One
 * that is made the default takes the place of the former.
 */
export function createEnvTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, envTemplates, memberships, vault } = deps;
  const response = { 201: EnvTemplate, ...failures('forbidden', 'not_found', 'name_taken') };
  const schema = { params: projectParams, body: NewEnvTemplate, response };
  app.post('/projects/:projectId/env-templates', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const membership = await memberships.findMembership({ userId, projectId });
    await authorize(userId, 'writeTemplates', membership);
    const { name, variables, isDefault } = body;
    const id = uuidv7();
    const sealed = vault.seal(variables, { id, projectId });
    const keys = Object.keys(variables).toSorted();
    const template = { id, projectId, name, keys, isDefault, ...sealed };
    if ((await envTemplates.insertEnvTemplate(template)) === 'name_taken') throw nameTaken();
    const row = await authorize(userId, 'read', await envTemplates.findEnvTemplate({ id, userId }));
    return reply.code(201).header('location', `/env-templates/${id}`).send(envTemplateOf(row));
  });
}
