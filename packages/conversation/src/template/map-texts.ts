import type { AgentTemplateDefinition } from '@session/contract';

type MapText = (text: string, path: string, kind: 'text' | 'url') => string;

export function mapTexts(
  definition: AgentTemplateDefinition,
  map: MapText,
): AgentTemplateDefinition {
  const mapped = (text: string | null, path: string) => text && map(text, path, 'text');
  return {
    ...definition,
    instructions: mapped(definition.instructions, 'instructions'),
    greeting: mapped(definition.greeting, 'greeting'),
    failureMessage: mapped(definition.failureMessage, 'failureMessage'),
    plan: definition.plan && mapPlan(definition.plan, map),
    tools: definition.tools.map((tool, index) => mapTool(tool, `tools.${index}`, map)),
    mcpServers: definition.mcpServers.map((server, index) => ({
      ...server,
      url: map(server.url, `mcpServers.${index}.url`, 'url'),
    })),
    handover: definition.handover && mapHandover(definition.handover, map),
  };
}

function mapHandover(handover: Handover, map: MapText): Handover {
  const { persons } = handover;
  if (persons?.say === undefined) return handover;
  const say = map(persons.say, 'handover.persons.say', 'text');
  return { ...handover, persons: { ...persons, say } };
}

type Handover = NonNullable<AgentTemplateDefinition['handover']>;
type Plan = NonNullable<AgentTemplateDefinition['plan']>;
type Step = Plan['steps'][number];
type Tool = AgentTemplateDefinition['tools'][number];

function mapPlan(plan: Plan, map: MapText): Plan {
  return {
    name: map(plan.name, 'plan.name', 'text'),
    steps: plan.steps.map((step, index) => mapStep(step, `plan.steps.${index}`, map)),
  };
}

function mapStep({ deliverable, ...step }: Step, path: string, map: MapText): Step {
  return {
    ...step,
    title: map(step.title, `${path}.title`, 'text'),
    instructions: map(step.instructions, `${path}.instructions`, 'text'),
    ...(deliverable && {
      deliverable: {
        ...deliverable,
        title: map(deliverable.title, `${path}.deliverable.title`, 'text'),
        ...(deliverable.choices && {
          choices: deliverable.choices.map((choice, index) =>
            map(choice, `${path}.deliverable.choices.${index}`, 'text'),
          ),
        }),
      },
    }),
  };
}

function mapTool(tool: Tool, path: string, map: MapText): Tool {
  return {
    ...tool,
    description: map(tool.description, `${path}.description`, 'text'),
    request: { ...tool.request, url: map(tool.request.url, `${path}.request.url`, 'url') },
    ...(tool.say !== undefined && { say: map(tool.say, `${path}.say`, 'text') }),
  };
}
