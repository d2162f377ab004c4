import { EnvTemplate, NewEnvTemplate } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { envTemplateOf, nameTaken, projectParams } from './env-template-schema.ts';

export function createEnvTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database, vault } = deps;
  const codes = [
    'forbidden',
    'not_found',
    'name_taken',
    'template_capacity',
    'template_bytes',
    ...IDEMPOTENCY_CODES,
  ] as const;
  const response = { 201: EnvTemplate };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['env-templates'],
    operationId: 'createEnvTemplate',
    summary: 'Create an environment template',
    description:
      'Stores variables for agents, encrypted. Their values are never returned. For an ADMIN.',
    problems: codes,
    headers,
    params: projectParams,
    body: NewEnvTemplate,
    response,
  };
  app.post('/projects/:projectId/env-templates', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const membership = await db.findMembership(database, { userId, projectId });
    await authorize(userId, 'writeTemplates', membership);
    const { name, variables, hosts, isDefault } = body;
    const keys = Object.keys(variables).toSorted();
    const id = await createOnce(request, async (transaction, newId) => {
      const key = { id: newId, projectId };
      const content = { name, keys, hosts, isDefault, ...vault.seal(variables, key) };
      const template = { ...key, ...content, by: userId };
      const outcome = await db.insertEnvTemplate(transaction, template, config.limits);
      if (outcome === 'name_taken') throw nameTaken();
      assertWithinLimits(outcome, config.limits);
    });
    const row = await authorize(userId, 'read', await db.findEnvTemplate(database, { id, userId }));
    void reply.code(201).header('location', `/env-templates/${id}`);
    return replyTagged(reply, envTemplateOf(row));
  });
}
