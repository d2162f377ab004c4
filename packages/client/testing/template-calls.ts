import type { MethodCall, MethodName } from './calls.ts';

const steps = [{ title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' }];
const variables = { LLM_API_KEY: 'a key of the tests' };

/** Its host does not exist. */
const tool = {
  name: 'find_rooms',
  description: 'Finds rooms.',
  parameters: { type: 'object', properties: {} },
  request: { method: 'GET', url: 'https://rooms.invalid/' },
} as const;

type TemplateMethod = Extract<MethodName, `${string}Templates.${string}`>;

/** One call of each method of templates, in an order in which each can succeed. */
export const TEMPLATE_CALLS: Readonly<Record<TemplateMethod, MethodCall>> = {
  'envTemplates.create': {
    operationId: 'createEnvTemplate',
    call: (client, { projectId }) =>
      client.envTemplates.create(projectId, { name: 'Production', variables }),
  },
  'envTemplates.list': {
    operationId: 'listEnvTemplates',
    call: (client, { projectId }) => client.envTemplates.list(projectId),
  },
  'envTemplates.get': {
    operationId: 'getEnvTemplate',
    call: (client, { envTemplateId }) => client.envTemplates.get(envTemplateId),
  },
  'envTemplates.change': {
    operationId: 'changeEnvTemplate',
    call: (client, { envTemplateId }) =>
      client.envTemplates.change(
        envTemplateId,
        { variables: { LLM_MODEL: 'small', LLM_BASE_URL: null } },
        { version: 1 },
      ),
  },
  'envTemplates.delete': {
    operationId: 'deleteEnvTemplate',
    call: (client, { envTemplateId }) => client.envTemplates.delete(envTemplateId),
  },
  'planTemplates.create': {
    operationId: 'createPlanTemplate',
    call: (client, { projectId }) =>
      client.planTemplates.create(projectId, { name: 'Booking', steps }),
  },
  'planTemplates.list': {
    operationId: 'listPlanTemplates',
    call: (client, { projectId }) => client.planTemplates.list(projectId),
  },
  'planTemplates.get': {
    operationId: 'getPlanTemplate',
    call: (client, { planTemplateId }) => client.planTemplates.get(planTemplateId),
  },
  'planTemplates.change': {
    operationId: 'changePlanTemplate',
    call: (client, { planTemplateId }) =>
      client.planTemplates.change(planTemplateId, { description: null }, { version: 1 }),
  },
  'planTemplates.delete': {
    operationId: 'deletePlanTemplate',
    call: (client, { planTemplateId }) => client.planTemplates.delete(planTemplateId),
  },
  'agentTemplates.create': {
    operationId: 'createAgentTemplate',
    call: (client, { projectId }) =>
      client.agentTemplates.create(projectId, { name: 'Front desk', role: 'light-agent' }),
  },
  'agentTemplates.list': {
    operationId: 'listAgentTemplates',
    call: (client, { projectId }) => client.agentTemplates.list(projectId),
  },
  'agentTemplates.get': {
    operationId: 'getAgentTemplate',
    call: (client, { agentTemplateId }) => client.agentTemplates.get(agentTemplateId),
  },
  'agentTemplates.change': {
    operationId: 'changeAgentTemplate',
    call: (client, { agentTemplateId }) =>
      client.agentTemplates.change(agentTemplateId, {
        version: 1,
        greeting: 'Hello.',
        tools: [tool],
      }),
  },
  'agentTemplates.versions': {
    operationId: 'listAgentTemplateVersions',
    call: (client, { agentTemplateId }) => client.agentTemplates.versions(agentTemplateId),
  },
  'agentTemplates.version': {
    operationId: 'getAgentTemplateVersion',
    call: (client, { agentTemplateId }) => client.agentTemplates.version(agentTemplateId, 1),
  },
  'agentTemplates.tryTool': {
    operationId: 'tryTool',
    call: (client, { agentTemplateId }) =>
      client.agentTemplates.tryTool(agentTemplateId, tool.name, { arguments: {} }),
  },
  'agentTemplates.delete': {
    operationId: 'deleteAgentTemplate',
    call: (client, { agentTemplateId }) => client.agentTemplates.delete(agentTemplateId),
  },
};
