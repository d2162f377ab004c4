import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { hasCode, StartError } from '@session/kit';
import { type Plan, readPlanFile } from '../plan/plan.ts';
import { TEMPLATE_VARIABLES } from '../settings/index.ts';
import { proxyVariables } from '../settings/proxy-variables.ts';
import { loadSettings } from '../settings/read-settings.ts';
import { type ConversationSettings, REHEARSAL_KEY } from '../settings/settings.ts';

export const USAGE = `Usage: npm run chat -- [--plan <plan.json>] [--template <file.env>]

--plan      a plan: the body of POST /projects/<id>/plan-templates, such as
            {"name": "Booking", "steps": [{"title": "Day", "instructions": "Ask for the day.", "deliverable": "The day"}]}
            Without it the agent only converses.
--template  variables of an environment template, one NAME=value a line; LLM_API_KEY alone is enough.
            Without it the rehearsal model answers, which needs no key.
`;

export interface ChatInputs {
  readonly plan: Plan | undefined;
  readonly settings: ConversationSettings;
  readonly unknownVariables: readonly string[];
}

/**
 * Reads the files that the command line names, relative to `folder`. `env` supplies the proxy variables. Throws a StartError
 * that names the file, what is wrong in it, and what to do.
 */
export async function readChatInputs(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<ChatInputs> {
  const { planFile, template } = readOptions(args);
  const plan = planFile === undefined ? undefined : await readPlan(planFile, folder);
  if (template === undefined) {
    const settings = loadSettings({ LLM_API_KEY: REHEARSAL_KEY });
    return { plan, settings, unknownVariables: [] };
  }
  const variables = parseEnv(await readText(path.resolve(folder, template), template));
  const settings = advised(
    () => loadSettings(variables),
    `Correct these lines of ${template} and try again.`,
  );
  const known = new Set(TEMPLATE_VARIABLES.map(({ name }) => name));
  const model = { ...settings.model, proxies: proxyVariables(env) };
  return {
    plan,
    settings: { ...settings, model },
    unknownVariables: Object.keys(variables).filter((name) => !known.has(name)),
  };
}

/** npm drops the name of an option when `--` is missing before it, so the plan may also stand alone. */
function readOptions(args: readonly string[]): { planFile?: string; template?: string } {
  const options = { plan: { type: 'string' }, template: { type: 'string' } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    const { template } = values;
    const [planFile, ...more] =
      values.plan === undefined ? positionals : [values.plan, ...positionals];
    if (more.length > 0) throw new Error(`There is more than one plan: ${more.join(' ')}`);
    return {
      ...(planFile !== undefined && { planFile }),
      ...(template !== undefined && { template }),
    };
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('. To specify') : [];
    throw new StartError(`${reason}\n\n${USAGE}`, { cause });
  }
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
