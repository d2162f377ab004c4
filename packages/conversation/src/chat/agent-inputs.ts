import {
  type AgentTemplateDefinition,
  NewAgentTemplate,
  secretsOfHeaders,
} from '@session/contract';
import { AppError, StartError } from '@session/kit';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';
import { readPlanFile } from '../plan/plan.ts';
import { templateEnvironment, variableValues } from '../template/index.ts';

/** Fields that the API adds to an agent template. They are ignored, so a template read from the API runs unchanged. */
const ADDED_BY_API = new Set([
  'id',
  'projectId',
  'version',
  'createdBy',
  'createdAt',
  'updatedBy',
  'updatedAt',
]);

/**
 * Returns the environment that an agent with this agent template gets from the API. `pairs` are the values of its variables, each as
 * `name=value`. Throws a StartError that names each faulty field of `source`.
 */
export function agentEnvironment(
  text: string,
  source: string,
  pairs: readonly string[],
): Record<string, string> {
  const definition = readDefinition(text, source);
  try {
    const values = variableValues(definition, valuesOf(pairs));
    return templateEnvironment({ id: 'agent', definition, values }, hostsOf(definition));
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new StartError(`${source}: ${cause.detail ?? cause.message}`, { cause });
  }
}

function readDefinition(text: string, source: string): AgentTemplateDefinition {
  const parsed = z.looseObject({}).safeParse(parseJson(text));
  if (!parsed.success) throw new StartError(`${source} is not a JSON object. Correct the file.`);
  const authored = Object.entries(parsed.data).filter(([name]) => !ADDED_BY_API.has(name));
  const result = NewAgentTemplate.safeParse(Object.fromEntries(authored));
  if (!result.success) {
    const faults = result.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the template'}: ${message}`,
    );
    throw new StartError(`${source} is not an agent template:\n${faults.join('\n')}`);
  }
  const { plan, variables, tools, mcpServers, endConversation, answers, handover, ...texts } =
    result.data;
  const { steps = [] } = plan ? readPlanFile(JSON.stringify(plan), source) : {};
  return {
    ...textsOf(texts),
    variables: variables ?? [],
    plan: plan ? { name: plan.name, steps: [...steps] } : null,
    tools: tools ?? [],
    mcpServers: mcpServers ?? [],
    endConversation: endConversation ?? null,
    answers: answers ?? null,
    handover: handover ?? null,
  };
}

function textsOf(texts: Partial<NewAgentTemplate>) {
  return {
    instructions: texts.instructions ?? null,
    greeting: texts.greeting ?? null,
    language: texts.language ?? null,
    timeZone: texts.timeZone ?? null,
    model: texts.model ?? null,
    limits: texts.limits ?? null,
    failureMessage: texts.failureMessage ?? null,
  };
}

function valuesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      if (value.length === 0) throw new StartError(`--var ${pair}: write it as name=value.`);
      return [name, value.join('=')];
    }),
  );
}

function hostsOf({ tools, mcpServers }: AgentTemplateDefinition): Record<string, string[]> {
  const hosts: Record<string, string[]> = {};
  for (const { url, headers } of [...tools.map(({ request }) => request), ...mcpServers]) {
    const { host } = new URL(url.replaceAll(/[{}]/g, ''));
    for (const secret of secretsOfHeaders(headers ?? {})) {
      hosts[secret] = [...(hosts[secret] ?? []), host];
    }
  }
  return hosts;
}
