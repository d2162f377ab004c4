import { availableParallelism } from 'node:os';
import { StartError } from '@session/kit';
import { readStackFile } from '@session/local';
import { BenchProject } from '../agents/bench-project.ts';
import type { BenchOptions } from '../measure/bench-options.ts';
import { benchMemory } from './bench-memory.ts';
import { benchText } from './bench-text.ts';
import { benchVoice } from './bench-voice.ts';
import { TimedModel } from './timed-model.ts';

export const CONVERSATION_PARTS = ['text', 'voice', 'memory'] as const;
type ConversationPart = (typeof CONVERSATION_PARTS)[number];

/** The roles that converse. */
export const CONVERSING_ROLES = ['light-agent', 'core-agent'];

/** What is measured. */
export interface ConversationRequest {
  readonly parts: readonly ConversationPart[];
  readonly roles: readonly string[];
  /** How long people talk while memory is measured. */
  readonly minutes: number;
  /** The base URL of a speech server, for `voice`; without one, speech is scripted. */
  readonly speechUrl: string | undefined;
}

/**
 * Returns how fast agents converse and how much memory they take, on the stack that runs in `folder` and with its launcher.
 * Throws a StartError when no stack runs there.
 */
export async function* benchConversation(
  folder: string,
  { parts, roles, minutes, speechUrl }: ConversationRequest,
  options: BenchOptions,
): AsyncGenerator<string> {
  const stack = await readStackFile(folder);
  if (!stack)
    throw new StartError('No stack is running. Start one with npm start, then measure its agents.');
  const api = await BenchProject.open(stack.apiUrl, options.stop);
  await using model = await TimedModel.open();
  const available = await api.availableRoles();
  const testbed = {
    api,
    model,
    roles: roles.filter((role) => available.includes(role)),
    envTemplateId: await api.createTemplate(model.variables),
  };
  yield `${availableParallelism()} cores, Node ${process.version}`;
  if (parts.includes('text')) yield await benchText(testbed, options);
  if (parts.includes('voice') && testbed.roles.includes('core-agent')) {
    yield await benchVoice(testbed, speechUrl, options);
  }
  if (parts.includes('memory')) yield await benchMemory(testbed, minutes, options);
}
