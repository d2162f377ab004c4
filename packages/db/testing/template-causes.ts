import type { AuditAction } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  deleteAgentTemplate,
  insertAgentTemplate,
  updateAgentTemplate,
} from '../src/queries/agent-templates/agent-template-changes.ts';
import {
  deleteEnvTemplate,
  insertEnvTemplate,
  updateEnvTemplate,
} from '../src/queries/templates/env-template-changes.ts';
import {
  deletePlanTemplate,
  insertPlanTemplate,
  updatePlanTemplate,
} from '../src/queries/templates/plan-templates.ts';
import type { Cause } from './audit-causes.ts';
import { newEnvTemplate } from './env-templates.ts';
import type { TestProject } from './project.ts';

export const SECRET = 'canary-of-a-secret';
/** What is stored in place of secrets. */
export const HASH = Buffer.from(SECRET);

type TemplateAction = Extract<AuditAction, `${string}_template.${string}`>;

/** For each action on templates, a function that prepares what causes its event. */
export const TEMPLATE_CAUSES: Readonly<
  Record<TemplateAction, (project: TestProject) => Promise<Cause>>
> = {
  'agent_template.changed': async (project) => {
    const template = secretAgentTemplate(project);
    await insertAgentTemplate(project, template);
    const changed = { ...template, name: 'Other', version: 1 };
    return {
      act: (database) => updateAgentTemplate(database, changed),
      target: template.id,
      detail: { name: 'Other', version: 2 },
    };
  },
  'agent_template.created': async (project) => {
    const template = secretAgentTemplate(project);
    return {
      act: (database) => insertAgentTemplate(database, template),
      target: template.id,
      detail: { name: 'Front desk', version: 1 },
    };
  },
  'agent_template.deleted': async (project) => {
    const template = secretAgentTemplate(project);
    await insertAgentTemplate(project, template);
    return {
      act: (database) => deleteAgentTemplate(database, template, project.userId),
      target: template.id,
      detail: { name: 'Front desk', version: 1 },
    };
  },
  'env_template.changed': async (project) => {
    const template = secretTemplate(project);
    await insertEnvTemplate(project, template);
    const changed = { ...template, name: 'Other', version: 1 };
    return {
      act: (database) => updateEnvTemplate(database, changed),
      target: template.id,
      detail: { name: 'Other' },
    };
  },
  'env_template.created': async (project) => {
    const template = secretTemplate(project);
    return {
      act: (database) => insertEnvTemplate(database, template),
      target: template.id,
      detail: { name: 'Production' },
    };
  },
  'env_template.deleted': async (project) => {
    const template = secretTemplate(project);
    await insertEnvTemplate(project, template);
    return {
      act: (database) => deleteEnvTemplate(database, template, project.userId),
      target: template.id,
      detail: { name: 'Production' },
    };
  },
  'plan_template.changed': async (project) => {
    const plan = newPlan(project);
    await insertPlanTemplate(project, plan);
    return {
      act: (database) =>
        updatePlanTemplate(database, { ...plan, description: `another ${SECRET}` }),
      target: plan.id,
      detail: { name: 'Booking' },
    };
  },
  'plan_template.created': async (project) => {
    const plan = newPlan(project);
    return {
      act: (database) =>
        insertPlanTemplate(database, plan).catch((error: { code: string }) => {
          // It is stored once; its id is the key.
          if (error.code !== '23505') throw error;
        }),
      target: plan.id,
      detail: { name: 'Booking' },
    };
  },
  'plan_template.deleted': async (project) => {
    const plan = newPlan(project);
    await insertPlanTemplate(project, plan);
    return {
      act: (database) => deletePlanTemplate(database, plan, project.userId),
      target: plan.id,
      detail: { name: 'Booking' },
    };
  },
};

function secretTemplate({ projectId, userId: by }: TestProject) {
  const secret = { ciphertext: HASH, keys: [SECRET] };
  return newEnvTemplate(projectId, { name: 'Production', ...secret, by });
}

function secretAgentTemplate({ projectId, userId: by }: TestProject) {
  const definition = { instructions: SECRET, tools: [] };
  return { id: uuidv7(), projectId, name: 'Front desk', role: 'light-agent', definition, by };
}

function newPlan({ projectId, userId: by }: TestProject) {
  const steps = [{ instructions: SECRET }];
  return { id: uuidv7(), projectId, name: 'Booking', description: SECRET, steps, by };
}
