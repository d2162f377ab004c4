import { randomUUID } from 'node:crypto';
import { runMain } from '@session/kit';
import { openModel } from '../rehearsal/open-model.ts';
import { ConversationCore } from '../turn/conversation.ts';
import { chat } from './chat.ts';
import { readChatInputs } from './chat-inputs.ts';

await runMain(async (stop) => {
  // npm runs scripts in the repository's folder, and says where it was called.
  const folder = process.env['INIT_CWD'] ?? process.cwd();
  const { plan, settings } = await readChatInputs(process.argv.slice(2), folder, process.env);
  await using model = await openModel(settings.model);
  const sessionId = randomUUID();
  await using conversation = new ConversationCore({
    settings,
    model: model.client,
    sessionId,
    plan,
  });
  const { stdin, stdout } = process;
  // A reader that has closed its end, such as `head`, is no reason for a stack trace.
  stdout.on('error', () => {});
  const write = (text: string) => void stdout.write(text);
  const isTerminal = stdin.isTTY;
  const isGood = await chat({ conversation, input: stdin, write, isTerminal }, stop);
  stdin.destroy();
  if (!isGood) process.exitCode = 1;
});
