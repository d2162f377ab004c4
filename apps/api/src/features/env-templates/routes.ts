import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changeEnvTemplate } from './change-env-template.ts';
import { createEnvTemplate } from './create-env-template.ts';
import { deleteEnvTemplate } from './delete-env-template.ts';
import { getEnvTemplate } from './get-env-template.ts';
import { listEnvTemplates } from './list-env-templates.ts';

export function envTemplateRoutes(app: ZodApp, deps: Deps): void {
  listEnvTemplates(app, deps);
  createEnvTemplate(app, deps);
  getEnvTemplate(app, deps);
  changeEnvTemplate(app, deps);
  deleteEnvTemplate(app, deps);
}
