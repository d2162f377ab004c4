import { PlanTemplate, PlanTemplateChange, planSteps } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { assertMatch, ifMatchHeaders, replyTagged } from '../../http/entity-tags.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { planTemplateOf, templateParams } from './plan-template-schema.ts';

export function changePlanTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, database, inProjectTurn } = deps;
  const { limits } = deps.config;
  const response = { 200: PlanTemplate };
  const schema = {
    tags: ['plan-templates'],
    operationId: 'changePlanTemplate',
    summary: 'Change a plan template',
    problems: ['forbidden', 'not_found', 'changed_meanwhile', 'template_bytes'] as const,
    description:
      'Replaces the fields that are sent. `steps` replaces all steps. Agents that run already keep the plan that they started with. For an ADMIN.',
    headers: ifMatchHeaders,
    params: templateParams,
    body: PlanTemplateChange,
    response,
  };
  app.patch('/plan-templates/:id', { schema }, async (request, reply) => {
    const { userId, params, headers } = request;
    const find = () => db.findPlanTemplate(database, { ...params, userId });
    const { steps, ...rest } = request.body;
    const change = { ...params, by: userId, ...rest, ...(steps && { steps: planSteps(steps) }) };
    const expected = headers['if-match'];
    let outcome: Awaited<ReturnType<typeof db.updatePlanTemplate>>;
    do {
      const { projectId, version } = await authorize(userId, 'writeTemplates', await find());
      assertMatch(expected, { version });
      const current = { projectId, ...(expected !== undefined && { version }) };
      outcome = await inProjectTurn(projectId, userId, (unlimited) =>
        db.updatePlanTemplate(unlimited, { ...change, ...current }, limits),
      );
      assertWithinLimits(outcome, limits);
      // Another request changed the template since the read, or deleted it.
    } while (outcome === 'changed');
    return replyTagged(reply, planTemplateOf(await authorize(userId, 'read', await find())));
  });
}
