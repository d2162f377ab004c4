import { type RoomConfig, readBoth, readRoom } from '@session/agent-kit';
import {
  type ConversationSettings,
  loadSettings,
  type Plan,
  readConversationVariable,
  readPlanVariable,
  type StoredConversation,
} from '@session/conversation';

export interface Config {
  readonly room: RoomConfig;
  readonly settings: ConversationSettings;
  /** What the conversation follows, when the agent was started with a plan. */
  readonly plan: Plan | undefined;
  /** What was said before the agent started. */
  readonly stored: StoredConversation | undefined;
}

/** Returns the agent's configuration. Throws a StartError with one line for each missing or faulty variable of `env`. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const readPlatform = () =>
    readBoth(
      () => readRoom(env),
      () => readStart(env),
    );
  const [[room, [plan, stored]], settings] = readBoth(readPlatform, () => loadSettings(env));
  return { room, settings, plan, stored };
}

function readStart(env: NodeJS.ProcessEnv) {
  return readBoth(
    () => (env['PLAN'] ? readPlanVariable(env['PLAN']) : undefined),
    () => (env['CONVERSATION'] ? readConversationVariable(env['CONVERSATION']) : undefined),
  );
}
