import { LaunchRefused } from '@session/agents';
import { AgentTemplateDefinition, Id, ToolTrial, ToolTrialRequest } from '@session/contract';
import { templateEnvironment, variableValues } from '@session/conversation/template';
import { openTools, readToolSettings } from '@session/conversation/tools';
import * as db from '@session/db';
import { AppError, StartError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { templateContent } from '../agents/template-variables.ts';
import { problemsOfTools } from '../agents/tool-problems.ts';

/** Longer than the longest time limit of a tool, so that the caller learns how the call ended. */
const TIMEOUT_MS = 35_000;
const TRIALS_PER_MINUTE = 10;

const params = z.object({ id: Id, name: z.string().min(1).max(64) });

export function tryTool(app: ZodApp, deps: Deps): void {
  const { authorize, config, database } = deps;
  const schema = {
    tags: ['agent-templates'],
    operationId: 'tryTool',
    summary: 'Try a tool of an agent template',
    description:
      'For an ADMIN. Sends the request of an HTTP tool once from the API, as an agent would, and returns what a model would read, with secrets masked. Each user may try tools 10 times a minute.',
    problems: ['forbidden', 'not_found', 'missing_variable', 'too_many_requests'] as const,
    params,
    body: ToolTrialRequest,
    response: { 200: ToolTrial },
  };
  const route = {
    schema,
    handlerTimeout: TIMEOUT_MS,
    config: limitedByUser(TRIALS_PER_MINUTE),
  };
  app.post('/agent-templates/:id/tools/:name/try', route, async (request) => {
    const {
      userId,
      params: { id, name },
      body: sent,
    } = request;
    const found = await db.findAgentTemplate(database, { id, userId });
    const row = await authorize(userId, 'writeTemplates', found);
    const definition = AgentTemplateDefinition.parse(row.definition);
    const tool = definition.tools.find((one) => one.name === name);
    if (!tool) {
      const detail =
        'The template has no HTTP tool with this name. Save the tool in the template first.';
      throw new AppError('not_found', 'no such tool', { detail });
    }
    const values = variableValues(definition, sent.variables);
    const environment = await environmentOf(row.projectId, sent.envTemplateId);
    const only = { ...definition, plan: null, tools: [tool], mcpServers: [] };
    const [problem] = problemsOfTools(only, environment, config.agents);
    if (problem) throw refused(problem.detail);
    const { variables, hosts } = environment;
    const ofTemplate = templateEnvironment({ id, definition: only, values }, hosts);
    const result = await send(name, { ...variables, ...ofTemplate }, sent.arguments ?? {});
    const { state, status = null, text, isCut, durationMs } = result;
    return { state, status, durationMs: Math.round(durationMs), result: text, truncated: isCut };
  });

  async function environmentOf(projectId: string, envTemplateId: string | undefined) {
    const choice = { projectId, id: envTemplateId ?? null };
    const chosen = await db.chooseEnvTemplate(database, choice);
    if (envTemplateId !== undefined && !chosen) {
      const detail =
        'The project has no environment template with this id. Send the id of one of the project’s environment templates.';
      throw new AppError('not_found', 'no such environment template', { detail });
    }
    return await templateContent({ envTemplateId: chosen?.id ?? null }, deps).catch(
      (error: unknown) => {
        throw error instanceof LaunchRefused ? refused(error.detail) : error;
      },
    );
  }

  async function send(name: string, variables: Readonly<Record<string, string>>, args: object) {
    const { proxies, toolNetworks } = config.agents;
    const platform = { ...proxies, AGENT_TOOL_NETWORKS: toolNetworks.join(',') };
    await using tools = await openTools(settingsOf({ ...variables, ...platform }));
    const tool = tools?.toolOf(name);
    if (!tool) throw new AppError('not_found', 'the tool was not opened');
    const checked = tool.check(args);
    if (checked.fault !== undefined) throw refused(checked.fault);
    return await tool.send(checked.args);
  }
}

function settingsOf(variables: Readonly<Record<string, string>>) {
  try {
    return readToolSettings(variables);
  } catch (error) {
    // The message quotes no value.
    throw error instanceof StartError ? refused(`${error.message}.`) : error;
  }
}

function refused(detail: string): AppError {
  return new AppError('invalid_request', 'the tool cannot be tried with these values', { detail });
}
