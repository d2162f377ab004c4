import { StartError } from '@session/kit';
import { readStackFile } from '@session/local';
import { type BenchOptions, machineText } from '../measure/servers.ts';
import { benchMemory } from './bench-memory.ts';
import { BenchProject } from './bench-project.ts';
import { benchStarts } from './bench-starts.ts';
import { benchText } from './bench-text.ts';
import { benchVoice } from './bench-voice.ts';
import { TimedModel } from './timed-model.ts';

export const CONVERSATION_PARTS = ['starts', 'text', 'voice'] as const;
export const ALL_CONVERSATION_PARTS = [...CONVERSATION_PARTS, 'memory'] as const;

const CONVERSING_ROLES = ['light-agent', 'core-agent'] as const;
export const AGENT_ROLES = ['echo-agent', ...CONVERSING_ROLES];

export interface ConversationRequest {
  readonly parts: readonly (typeof ALL_CONVERSATION_PARTS)[number][];
  readonly roles: readonly string[];
  readonly minutes: number;
  readonly speechUrl: string | undefined;
}

export interface ConversationTestbed {
  readonly api: BenchProject;
  readonly model: TimedModel;
  /** The roles that converse and whose program is installed. */
  readonly roles: readonly (typeof CONVERSING_ROLES)[number][];
  readonly envTemplateId: string;
}

/**
 * Returns how fast agents start and converse, and their memory, on the stack that runs in `folder`. Throws a StartError
 * when none does.
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
  const startable = roles.filter((role) => available.includes(role));
  const testbed = {
    api,
    model,
    roles: CONVERSING_ROLES.filter((role) => startable.includes(role)),
    envTemplateId: await api.createTemplate(model.variables),
  };
  yield machineText();
  if (parts.includes('starts')) yield await benchStarts(testbed, startable, options);
  if (parts.includes('text')) yield await benchText(testbed, options);
  if (parts.includes('voice') && testbed.roles.includes('core-agent')) {
    yield await benchVoice(testbed, speechUrl, options);
  }
  if (parts.includes('memory')) yield await benchMemory(testbed, minutes, options);
}
