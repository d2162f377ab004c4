import { PlanTemplate, PlanTemplateChange } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { planSteps } from './plan-steps.ts';
import { planTemplateOf, templateParams } from './plan-template-schema.ts';

export function changePlanTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, database } = deps;
  const { limits } = deps.config;
  const response = { 200: PlanTemplate };
  const schema = {
    tags: ['plan-templates'],
    operationId: 'changePlanTemplate',
    summary: 'Change a plan template',
    problems: ['forbidden', 'not_found', 'template_bytes'] as const,
    description:
      'Replaces the fields that are sent. `steps` replaces all steps. Agents that run already keep the plan that they started with. For an ADMIN.',
    params: templateParams,
    body: PlanTemplateChange,
    response,
  };
  app.patch('/plan-templates/:id', { schema }, async ({ userId, params: { id }, body }) => {
    const find = () => db.findPlanTemplate(database, { id, userId });
    const { projectId } = await authorize(userId, 'writeTemplates', await find());
    const { steps, ...change } = body;
    const place = { id, projectId, by: userId };
    const changed = { ...place, ...change, ...(steps && { steps: planSteps(steps) }) };
    assertWithinLimits(await db.updatePlanTemplate(database, changed, limits), limits);
    return planTemplateOf(await authorize(userId, 'read', await find()));
  });
}
