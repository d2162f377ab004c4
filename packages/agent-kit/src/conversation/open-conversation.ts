import {
  type AgentEvent,
  ConversationCore,
  type OpenModel,
  type ToolBox,
} from '@session/conversation';
import type { ConversationConfig } from './load-config.ts';
import type { Voice } from './output/room-output.ts';
import type { Time } from './time.ts';

export interface ConversingAgentOptions extends Omit<ConversationConfig, 'room' | 'toolSettings'> {
  readonly sessionId: string;
  readonly model: OpenModel;
  readonly tools?: ToolBox | undefined;
  readonly voice?: Voice;
  readonly isHearing?: () => boolean;
  readonly log: (line: string) => void;
  readonly time?: Time;
}

/** Returns an agent's conversation as an earlier process left it. `report` receives events outside turns. */
export function openConversation(
  { settings, model, sessionId, plan, stored, tools, ownTools }: ConversingAgentOptions,
  { now: clock }: Time,
  report: (event: AgentEvent) => void,
): ConversationCore {
  return new ConversationCore({
    settings,
    model: model.client,
    sessionId,
    plan,
    history: stored?.history ?? [],
    planState: stored?.plans.find(({ id }) => id === plan?.id),
    clock,
    tools,
    ownTools,
    earlierCalls: stored?.calls ?? [],
    takenOver: stored?.takenOver,
    report,
  });
}
