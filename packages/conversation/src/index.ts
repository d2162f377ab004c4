export type { AgentEvent } from '@session/contract/room';
export { type EndpointFetch, openEndpointFetch } from './model/endpoint-fetch.ts';
export { ModelClient, type ModelClientOptions } from './model/model-client.ts';
export { FAILURES, type FailureReason, ModelFailure } from './model/model-failure.ts';
export { type Plan, readPlanFile, readPlanVariable } from './plan/plan.ts';
export { agentStateEvent } from './plan/plan-event.ts';
export { PlanMachine } from './plan/plan-machine.ts';
export { planTools, type ToolDefinition } from './plan/plan-tools.ts';
export type { ToolOutcome } from './plan/tool-outcome.ts';
export type { HistoryEntry } from './prompt/history-entry.ts';
export { type OpenModel, openModel } from './rehearsal/open-model.ts';
export {
  type ConversationSettings,
  loadSettings,
  type ModelSettings,
  type Persona,
  type SpeechSettings,
} from './settings/index.ts';
export { SpeechText, speechTextStream } from './speech/speech-text.ts';
export { ConversationCore, type ConversationCoreOptions } from './turn/conversation.ts';
export { readConversationVariable, type StoredConversation } from './turn/stored-conversation.ts';
export type { AnswerEnding, TurnOutput, TurnRecord, UserText } from './turn/turn-output.ts';
