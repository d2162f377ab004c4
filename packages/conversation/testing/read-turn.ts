import type { AgentEvent } from '@session/contract/room';
import { ModelClient } from '../src/model/model-client.ts';
import type { Persona } from '../src/settings/settings.ts';
import { ConversationCore, type ConversationCoreOptions } from '../src/turn/conversation.ts';
import type { TurnOutput, TurnRecord } from '../src/turn/turn-output.ts';
import { AT, BOOKING, SESSION_ID } from './plans.ts';
import type { ScriptedModel } from './scripted-model.ts';

export const PERSONA: Persona = {
  instructions: undefined,
  greeting: undefined,
  failureMessage: undefined,
  language: 'en',
  timeZone: 'UTC',
};

/** A conversation about `BOOKING` with a scripted model; retries do not wait. */
export interface TestConversation extends AsyncDisposable {
  readonly conversation: ConversationCore;
  readonly say: (text: string, speaker?: string) => Promise<ReadTurn>;
}

export function openConversation(
  { settings }: ScriptedModel,
  options: Partial<ConversationCoreOptions> = {},
  modelFields: Partial<ScriptedModel['settings']> = {},
): TestConversation {
  const model = new ModelClient({ ...settings, ...modelFields }, { pauseScale: 0 });
  const conversation = new ConversationCore({
    settings: { model: { ...settings, ...modelFields }, persona: PERSONA },
    model,
    sessionId: SESSION_ID,
    plan: BOOKING,
    now: () => new Date(AT),
    ...options,
  });
  return {
    conversation,
    say: async (text, speaker) =>
      await readTurn(conversation.answer([{ text, speaker }], new AbortController().signal)),
    async [Symbol.asyncDispose]() {
      await conversation[Symbol.asyncDispose]();
      model[Symbol.dispose]();
    },
  };
}

/** All that a turn brought. `order` holds the types of its outputs, neighbours of one type as one. */
export interface ReadTurn {
  readonly text: string;
  readonly events: readonly AgentEvent[];
  readonly notices: readonly string[];
  readonly order: readonly TurnOutput['type'][];
  readonly record: TurnRecord | undefined;
}

export async function readTurn(outputs: AsyncIterable<TurnOutput>): Promise<ReadTurn> {
  let text = '';
  const events: AgentEvent[] = [];
  const notices: string[] = [];
  const order: TurnOutput['type'][] = [];
  let record: TurnRecord | undefined;
  for await (const output of outputs) {
    if (order.at(-1) !== output.type) order.push(output.type);
    if (output.type === 'text') text += output.text;
    if (output.type === 'event') events.push(output.event);
    if (output.type === 'notice') notices.push(output.text);
    if (output.type === 'end') record = output.record;
  }
  return { text, events, notices, order, record };
}
