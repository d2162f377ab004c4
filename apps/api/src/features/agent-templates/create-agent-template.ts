import { AgentTemplate, NewAgentTemplate } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams, withDefinition } from './agent-template-schema.ts';
import { changedDefinition, EMPTY_DEFINITION } from './definition.ts';
import { assertSuccessors } from './successors.ts';

export function createAgentTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const codes = [
    'forbidden',
    'not_found',
    'template_capacity',
    'template_bytes',
    ...IDEMPOTENCY_CODES,
  ] as const;
  const response = { 201: AgentTemplate };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['agent-templates'],
    operationId: 'createAgentTemplate',
    summary: 'Create an agent template',
    description:
      'Stores who an agent is and what it can do, as version 1. Members read it, so it holds no secrets: the key of the model and those of tools are in an environment template. For an ADMIN.',
    problems: codes,
    headers,
    params: projectParams,
    body: NewAgentTemplate,
    response,
  };
  app.post('/projects/:projectId/agent-templates', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const membership = await db.findMembership(database, { userId, projectId });
    await authorize(userId, 'writeTemplates', membership);
    const { name, role, ...fields } = body;
    const definition = changedDefinition(EMPTY_DEFINITION, fields);
    await assertSuccessors(database, { projectId, definition });
    const content = { projectId, name, role, definition, by: userId };
    const { limits } = config;
    const id = await createOnce(request, async (transaction, newId) => {
      const template = { id: newId, ...content };
      assertWithinLimits(await db.insertAgentTemplate(transaction, template, limits), limits);
    });
    const found = await db.findAgentTemplate(database, { id, userId });
    const row = await authorize(userId, 'read', found);
    void reply.code(201).header('location', `/agent-templates/${id}`);
    return replyTagged(reply, withDefinition(row));
  });
}
