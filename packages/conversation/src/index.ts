export type { AgentEvent } from '@session/contract/room';
export { type EndpointFetch, openEndpointFetch } from './model/endpoint-fetch.ts';
export { ModelFailure } from './model/model-failure.ts';
export { type Plan, readPlanVariable } from './plan/plan.ts';
export { agentStateEvent, endEvent, handoverEvent } from './plan/plan-event.ts';
export { type OpenModel, openModel } from './rehearsal/open-model.ts';
export {
  type ConversationSettings,
  loadSettings,
  type ModelSettings,
  type SpeechSettings,
} from './settings/index.ts';
export { SpeechText } from './speech/speech-text.ts';
export { openTools } from './tools/open-tools.ts';
export {
  type HandoverSettings,
  type OwnToolSettings,
  readOwnToolSettings,
} from './tools/own-tool-settings.ts';
export type { ToolBox } from './tools/tool-box.ts';
export { readToolSettings, type ToolSettings } from './tools/tool-settings.ts';
export { ConversationCore } from './turn/conversation.ts';
export { setPhrasesOf } from './turn/set-phrases.ts';
export { readConversationVariable, type StoredConversation } from './turn/stored-conversation.ts';
export type { AnswerFigures, TurnOutput, TurnRecord, UserText } from './turn/turn-output.ts';
export type { ConversationAct } from './turn/turn-state.ts';
