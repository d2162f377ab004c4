import {
  type AgentTemplateChange,
  type AgentTemplateDefinition,
  END_TOOL,
  HANDOVER_TOOL,
  planSteps,
} from '@session/contract';
import { agentVariables, faultsOfVariables, mapTexts } from '@session/conversation/template';
import { AppError } from '@session/kit';

/** An agent gets each part in one environment variable, which Linux limits to 128 KiB. */
const MAX_DEFINITION_BYTES = 100_000;
const MAX_NAMED_FAULTS = 5;
/** HTTP tools and MCP tools together, because models choose badly among more. */
const MAX_TOOLS = 32;

export const EMPTY_DEFINITION: AgentTemplateDefinition = {
  instructions: null,
  greeting: null,
  language: null,
  timeZone: null,
  model: null,
  limits: null,
  failureMessage: null,
  variables: [],
  plan: null,
  tools: [],
  mcpServers: [],
  endConversation: null,
  answers: null,
  handover: null,
};

type Fields = Pick<AgentTemplateChange, keyof AgentTemplateDefinition>;

/**
 * Returns the definition with the named fields replaced; null empties a field. Throws `invalid_request` when the
 * resulting fields do not fit together, or are too large.
 */
export function changedDefinition(
  former: AgentTemplateDefinition,
  change: Fields,
): AgentTemplateDefinition {
  const { plan, variables, tools, mcpServers } = change;
  const definition = {
    instructions: changed(change.instructions, former.instructions),
    greeting: changed(change.greeting, former.greeting),
    language: changed(change.language, former.language),
    timeZone: changed(change.timeZone, former.timeZone),
    model: changed(change.model, former.model),
    limits: changed(change.limits, former.limits),
    failureMessage: changed(change.failureMessage, former.failureMessage),
    variables: changed(variables, former.variables) ?? [],
    plan: changed(plan && { ...plan, steps: planSteps(plan.steps) }, former.plan),
    tools: changed(tools, former.tools) ?? [],
    mcpServers: changed(mcpServers, former.mcpServers) ?? [],
    endConversation: changed(change.endConversation, former.endConversation),
    answers: changed(change.answers, former.answers),
    handover: changed(change.handover, former.handover),
  };
  const faults = [
    ...faultsOfPlaceholders(definition),
    ...faultsOfVariables(agentVariables(definition)),
    ...faultsOfToolNames(definition),
  ];
  const toolCount = definition.mcpServers.reduce(
    (sum, server) => sum + server.tools.length,
    definition.tools.length,
  );
  if (toolCount > MAX_TOOLS) {
    faults.push(
      `send fewer tools: those of tools and mcpServers may be at most ${MAX_TOOLS} together`,
    );
  }
  if (Buffer.byteLength(JSON.stringify(definition)) > MAX_DEFINITION_BYTES) {
    faults.push(
      `send shorter fields: all together may have at most ${MAX_DEFINITION_BYTES} bytes as JSON`,
    );
  }
  if (faults.length === 0) return definition;
  const detail = `${faults.slice(0, MAX_NAMED_FAULTS).join('; ')}.`;
  throw new AppError('invalid_request', 'the agent template is not valid', { detail });
}

function faultsOfPlaceholders(definition: AgentTemplateDefinition): string[] {
  const known = new Set(definition.variables.map(({ name }) => name));
  const faults: string[] = [];
  mapTexts(definition, (text, path) => {
    for (const [placeholder, name = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
      if (known.has(name)) continue;
      faults.push(
        `${path}: no variable of the template has the name in ${placeholder.slice(0, 80)}`,
      );
    }
    return text;
  });
  return faults;
}

/**
 * Returns a fault for each tool with the name of a built-in tool that this template uses. Other templates may use the
 * name, because older templates do.
 */
function faultsOfToolNames({
  tools,
  endConversation,
  handover,
}: AgentTemplateDefinition): string[] {
  const own = [
    ...(endConversation ? [[END_TOOL, 'ends the conversation']] : []),
    ...(handover ? [[HANDOVER_TOOL, 'hands the conversation over']] : []),
  ];
  return own.flatMap(([taken, what]) =>
    tools.some(({ name }) => name === taken)
      ? [`tools: choose another name than ${taken}, with which an agent ${what}`]
      : [],
  );
}

function changed<Value>(next: Value | undefined, former: Value): Value {
  return next === undefined ? former : next;
}
