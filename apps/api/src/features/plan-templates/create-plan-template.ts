import { NewPlanTemplate, PlanTemplate } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { planSteps } from './plan-steps.ts';
import { planTemplateOf, projectParams } from './plan-template-schema.ts';

/** `POST /projects/:projectId/plan-templates`: 201 with the plan, whose steps have ids now, and its `Location`. */
export function createPlanTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, memberships, planTemplates } = deps;
  const response = { 201: PlanTemplate, ...failures('forbidden', 'not_found') };
  const schema = { params: projectParams, body: NewPlanTemplate, response };
  app.post('/projects/:projectId/plan-templates', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const membership = await memberships.findMembership({ userId, projectId });
    await authorize(userId, 'writeTemplates', membership);
    const { name, description = null } = body;
    const id = uuidv7();
    const plan = { id, projectId, name, description, steps: planSteps(body.steps) };
    await planTemplates.insertPlanTemplate(plan);
    const found = await planTemplates.findPlanTemplate({ id, userId });
    const row = await authorize(userId, 'read', found);
    return reply.code(201).header('location', `/plan-templates/${id}`).send(planTemplateOf(row));
  });
}
