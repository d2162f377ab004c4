import {
  type ConversationSettings,
  loadSettings,
  type OwnToolSettings,
  type Plan,
  readConversationVariable,
  readOwnToolSettings,
  readPlanVariable,
  readToolSettings,
  type StoredConversation,
  type ToolSettings,
} from '@session/conversation';
import { type RoomConfig, readRoom } from '../config.ts';
import { readBoth } from '../configuration.ts';
import { responderAttributes } from './input/responder.ts';

export interface ConversationConfig {
  readonly room: RoomConfig;
  readonly settings: ConversationSettings;
  readonly plan: Plan | undefined;
  readonly stored: StoredConversation | undefined;
  readonly toolSettings: ToolSettings | undefined;
  readonly ownTools: OwnToolSettings;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Returns the platform's variables and those of the template. Throws a StartError with one line for each fault. */
export function loadConfig(env: NodeJS.ProcessEnv): ConversationConfig {
  const readPlatform = () =>
    readBoth(
      () => readRoom(env),
      () => readStart(env),
    );
  const readTemplate = () =>
    readBoth(
      () => loadSettings(env),
      () => readTools(env),
    );
  const [[room, [plan, stored]], [settings, [toolSettings, ownTools]]] = readBoth(
    readPlatform,
    readTemplate,
  );
  const attributes = responderAttributes(env['AGENT_ID'], ownTools, stored?.place);
  return { room, settings, plan, stored, toolSettings, ownTools, attributes };
}

function readStart(env: NodeJS.ProcessEnv) {
  return readBoth(
    () => (env['PLAN'] ? readPlanVariable(env['PLAN']) : undefined),
    () => (env['CONVERSATION'] ? readConversationVariable(env['CONVERSATION']) : undefined),
  );
}

function readTools(env: NodeJS.ProcessEnv) {
  return [readToolSettings(env), readOwnToolSettings(env)] as const;
}
