import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changePlanTemplate } from './change-plan-template.ts';
import { createPlanTemplate } from './create-plan-template.ts';
import { deletePlanTemplate } from './delete-plan-template.ts';
import { getPlanTemplate } from './get-plan-template.ts';
import { listPlanTemplates } from './list-plan-templates.ts';

export function planTemplateRoutes(app: ZodApp, deps: Deps): void {
  listPlanTemplates(app, deps);
  createPlanTemplate(app, deps);
  getPlanTemplate(app, deps);
  changePlanTemplate(app, deps);
  deletePlanTemplate(app, deps);
}
