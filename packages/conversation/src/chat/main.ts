import { randomUUID } from 'node:crypto';
import { runMain } from '@session/kit';
import type { Plan } from '../plan/plan.ts';
import { openModel } from '../rehearsal/open-model.ts';
import { type ModelSettings, REHEARSAL_KEY } from '../settings/settings.ts';
import { openTools } from '../tools/open-tools.ts';
import { ConversationCore } from '../turn/conversation.ts';
import { chat } from './chat.ts';
import { readChatInputs, USAGE } from './chat-inputs.ts';
import { eventLine, printable } from './event-line.ts';

await runMain(async (stop) => {
  const { stdin, stdout, argv, env } = process;
  // A reader such as `head` may close the pipe early. That is not an error.
  stdout.on('error', () => {});
  const args = argv.slice(2);
  if (args.includes('--help')) {
    stdout.write(USAGE);
    return;
  }
  // npm runs scripts in the repository's folder; INIT_CWD is the caller's.
  const folder = env['INIT_CWD'] ?? process.cwd();
  const { plan, settings, toolSettings, ownTools, unknownVariables } = await readChatInputs(
    args,
    folder,
    env,
  );
  for (const name of unknownVariables) {
    process.stderr.write(`${name} is ignored: agents read no variable of this name.\n`);
  }
  await using model = await openModel(settings.model);
  const write = (text: string) => void stdout.write(text);
  const tools = await openTools(toolSettings);
  const sessionId = randomUUID();
  await using conversation = new ConversationCore({
    settings,
    model: model.client,
    sessionId,
    plan,
    tools,
    ownTools,
    report: (event) => write(`\n${eventLine(event)}\n`),
  });
  await tools?.opened;
  const isTerminal = stdin.isTTY;
  if (isTerminal) write(introduction(plan, settings.model));
  const isGood = await chat({ conversation, input: stdin, write, isTerminal }, stop);
  stdin.destroy();
  if (!isGood) process.exitCode = 1;
});

function introduction(
  plan: Plan | undefined,
  { apiKey, baseUrl, model = 'the only model' }: ModelSettings,
): string {
  const named = apiKey === REHEARSAL_KEY ? 'the rehearsal model' : `${model} of ${baseUrl}`;
  const what = plan ? `${printable(plan.name)}, ${countOf(plan)}` : 'A conversation without a plan';
  return `${what}, with ${named}. Type what a user says. Ctrl-D ends.\n\n`;
}

function countOf({ steps }: Plan): string {
  return steps.length === 1 ? '1 step' : `${steps.length} steps`;
}
