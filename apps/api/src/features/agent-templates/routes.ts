import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changeAgentTemplate } from './change-agent-template.ts';
import { createAgentTemplate } from './create-agent-template.ts';
import { deleteAgentTemplate } from './delete-agent-template.ts';
import { getAgentTemplate } from './get-agent-template.ts';
import { getAgentTemplateVersion } from './get-agent-template-version.ts';
import { listAgentTemplateVersions } from './list-agent-template-versions.ts';
import { listAgentTemplates } from './list-agent-templates.ts';
import { tryTool } from './try-tool.ts';

export function agentTemplateRoutes(app: ZodApp, deps: Deps): void {
  listAgentTemplates(app, deps);
  createAgentTemplate(app, deps);
  getAgentTemplate(app, deps);
  changeAgentTemplate(app, deps);
  deleteAgentTemplate(app, deps);
  listAgentTemplateVersions(app, deps);
  getAgentTemplateVersion(app, deps);
  tryTool(app, deps);
}
