import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { AgentDefinition } from '@session/contract';
import { hasCode, StartError } from '@session/kit';
import { type Plan, readPlanFile, readPlanVariable } from '../plan/plan.ts';
import { TEMPLATE_VARIABLES } from '../settings/index.ts';
import { proxyVariables } from '../settings/proxy-variables.ts';
import { loadSettings } from '../settings/read-settings.ts';
import { type ConversationSettings, REHEARSAL_KEY } from '../settings/settings.ts';
import { type OwnToolSettings, readOwnToolSettings } from '../tools/own-tool-settings.ts';
import { readToolSettings, type ToolSettings } from '../tools/tool-settings.ts';
import { agentEnvironment } from './agent-inputs.ts';

export const USAGE = `Usage: npm run chat -- [--agent <agent.json> [--var <name>=<value>]] [--plan <plan.json>] [--template <file.env>]

--agent     an agent template: the body of POST /projects/<id>/agent-templates, or what GET returns. Its tools are really called.
--var       the value of one of its variables; once for each.
--plan      a plan: the body of POST /projects/<id>/plan-templates, such as
            {"name": "Booking", "steps": [{"title": "Day", "instructions": "Ask for the day.", "deliverable": "The day"}]}
            Without a plan the agent only converses. An agent template has its own.
--template  variables of an environment template, one NAME=value a line; LLM_API_KEY alone is enough.
            Without it the rehearsal model answers, which needs no key and calls no tools.

Tools may reach public addresses and this machine; AGENT_TOOL_NETWORKS names the networks instead of this machine.
`;

const LOOPBACK = '127.0.0.1/32,::1/128';

export interface ChatInputs {
  readonly plan: Plan | undefined;
  readonly settings: ConversationSettings;
  readonly toolSettings: ToolSettings | undefined;
  readonly ownTools: OwnToolSettings;
  readonly unknownVariables: readonly string[];
}

/**
 * Reads the files that the command line names, relative to `folder`. `env` supplies the proxy variables and `AGENT_TOOL_NETWORKS`.
 * Throws a StartError that names the file, what is wrong in it, and what to do.
 */
export async function readChatInputs(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<ChatInputs> {
  const { planFile, agentFile, template, pairs } = readOptions(args);
  const planOfFile = planFile === undefined ? undefined : await readPlan(planFile, folder);
  const ofAgent = agentFile === undefined ? {} : await readAgent(agentFile, folder, pairs);
  const { PLAN: planOfAgent, ...ofTexts } = ofAgent;
  const variables =
    template === undefined
      ? { LLM_API_KEY: REHEARSAL_KEY }
      : parseEnv(await readText(path.resolve(folder, template), template));
  const all = { ...variables, ...ofTexts };
  const advice = `Correct these lines of ${template ?? agentFile} and try again.`;
  const settings = advised(() => loadSettings(all), advice);
  const proxies = proxyVariables(env);
  const networks = env['AGENT_TOOL_NETWORKS'] ?? LOOPBACK;
  const toolSettings = advised(
    () => readToolSettings({ ...all, ...proxies, AGENT_TOOL_NETWORKS: networks }),
    advice,
  );
  const known = new Set([
    ...TEMPLATE_VARIABLES.map(({ name }) => name),
    ...secretNames(ofAgent['AGENT_DEFINITION']),
  ]);
  return {
    plan: planOfAgent === undefined ? planOfFile : readPlanVariable(planOfAgent),
    settings: { ...settings, model: { ...settings.model, proxies } },
    toolSettings,
    ownTools: readOwnToolSettings(all),
    unknownVariables: Object.keys(variables).filter((name) => !known.has(name)),
  };
}

interface Options {
  readonly planFile?: string;
  readonly agentFile?: string;
  readonly template?: string;
  readonly pairs: readonly string[];
}

/** npm drops an option's name when `--` is missing before it, so the plan may also be given without a name. */
function readOptions(args: readonly string[]): Options {
  const options = {
    agent: { type: 'string' },
    plan: { type: 'string' },
    template: { type: 'string' },
    var: { type: 'string', multiple: true },
  } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    const { template, agent: agentFile, var: pairs = [] } = values;
    const [planFile, ...more] =
      values.plan === undefined ? positionals : [values.plan, ...positionals];
    if (more.length > 0) throw new Error(`There is more than one plan: ${more.join(' ')}`);
    if (agentFile !== undefined && planFile !== undefined)
      throw new Error('An agent template has its own plan: leave --plan out');
    if (agentFile === undefined && pairs.length > 0)
      throw new Error('--var sets a variable of an agent template: name the template with --agent');
    return {
      ...(planFile !== undefined && { planFile }),
      ...(agentFile !== undefined && { agentFile }),
      ...(template !== undefined && { template }),
      pairs,
    };
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('. To specify') : [];
    throw new StartError(`${reason}\n\n${USAGE}`, { cause });
  }
}

async function readAgent(
  agentFile: string,
  folder: string,
  pairs: readonly string[],
): Promise<Record<string, string>> {
  const text = await readText(path.resolve(folder, agentFile), agentFile);
  return advised(() => agentEnvironment(text, agentFile, pairs), 'Correct it and try again.');
}

async function readPlan(planFile: string, folder: string): Promise<Plan> {
  const text = await readText(path.resolve(folder, planFile), planFile);
  return advised(() => readPlanFile(text, planFile), 'Correct the plan and try again.');
}

async function readText(file: string, named: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = hasCode(cause, 'ENOENT') ? 'There is no such file' : 'It cannot be read';
    throw new StartError(`${named}: ${reason}.\n\n${USAGE}`, { cause });
  }
}

function advised<T>(read: () => T, advice: string): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(`${cause.message}\n\n${advice}`, { cause });
  }
}

function secretNames(definition: string | undefined): string[] {
  if (definition === undefined) return [];
  return Object.keys(AgentDefinition.parse(JSON.parse(definition)).hosts);
}
