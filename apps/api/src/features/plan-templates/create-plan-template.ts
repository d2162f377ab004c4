import { NewPlanTemplate, PlanTemplate, planSteps } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { replyTagged } from '../../http/entity-tags.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { planTemplateOf, projectParams } from './plan-template-schema.ts';

export function createPlanTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const codes = [
    'forbidden',
    'not_found',
    'template_capacity',
    'template_bytes',
    ...IDEMPOTENCY_CODES,
  ] as const;
  const response = { 201: PlanTemplate };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['plan-templates'],
    operationId: 'createPlanTemplate',
    summary: 'Create a plan template',
    description:
      'Stores a plan: steps that an agent goes through in a conversation, and what it collects in each. For an ADMIN.',
    problems: codes,
    headers,
    params: projectParams,
    body: NewPlanTemplate,
    response,
  };
  app.post('/projects/:projectId/plan-templates', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const membership = await db.findMembership(database, { userId, projectId });
    await authorize(userId, 'writeTemplates', membership);
    const { name, description = null } = body;
    const plan = { projectId, name, description, steps: planSteps(body.steps) };
    const { limits } = config;
    const id = await createOnce(request, async (transaction, newId) => {
      const row = { id: newId, ...plan, by: userId };
      assertWithinLimits(await db.insertPlanTemplate(transaction, row, limits), limits);
    });
    const found = await db.findPlanTemplate(database, { id, userId });
    const row = await authorize(userId, 'read', found);
    void reply.code(201).header('location', `/plan-templates/${id}`);
    return replyTagged(reply, planTemplateOf(row));
  });
}
