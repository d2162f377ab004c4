import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { hasCode, StartError } from '@session/kit';
import { type Plan, readPlanFile } from '../plan/plan.ts';
import { proxyVariables } from '../settings/proxy-variables.ts';
import { loadSettings } from '../settings/read-settings.ts';
import { type ConversationSettings, REHEARSAL_KEY } from '../settings/settings.ts';

const USAGE = `Usage: npm run chat -- --plan <plan.json> [--template <file.env>]

--plan      a plan: the body of POST /projects/<id>/plan-templates, such as
            {"name": "Booking", "steps": [{"title": "Day", "instructions": "Ask for the day.", "deliverable": "The day"}]}
--template  variables of an environment template, one NAME=value a line; LLM_API_KEY alone is enough.
            Without it the rehearsal model answers, which needs no key.
`;

export interface ChatInputs {
  readonly plan: Plan;
  readonly settings: ConversationSettings;
}

/**
 * Reads what the command line names; relative paths start at `folder`. Proxies are those of `env`. Throws a StartError that
 * says what is wrong in which file, and what to do.
 */
export async function readChatInputs(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<ChatInputs> {
  const { plan: planFile, template } = readOptions(args);
  if (planFile === undefined) throw new StartError(USAGE);
  const planText = await readText(path.resolve(folder, planFile), planFile);
  const plan = advised(() => readPlanFile(planText, planFile), 'Correct the plan and try again.');
  if (template === undefined)
    return { plan, settings: loadSettings({ LLM_API_KEY: REHEARSAL_KEY }) };
  const templateText = await readText(path.resolve(folder, template), template);
  const settings = advised(
    () => loadSettings(parseEnv(templateText)),
    `Correct these lines of ${template} and try again.`,
  );
  const model = { ...settings.model, proxies: proxyVariables(env) };
  return { plan, settings: { ...settings, model } };
}

function readOptions(args: readonly string[]): { plan?: string; template?: string } {
  try {
    const options = { plan: { type: 'string' }, template: { type: 'string' } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    throw new StartError(USAGE, { cause });
  }
}

async function readText(file: string, named: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = hasCode(cause, 'ENOENT') ? 'There is no such file' : 'It cannot be read';
    throw new StartError(`${named}: ${reason}.\n\n${USAGE}`, { cause });
  }
}

/** Adds to a StartError what its reader can do. */
function advised<T>(read: () => T, advice: string): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(`${cause.message}\n\n${advice}`, { cause });
  }
}
