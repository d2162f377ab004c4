export type {
  FoldableMessage,
  FoldedState,
  MessageKind,
  Participant,
} from '@session/contract/room';
export type { Conversation } from './conversation/conversation.ts';
export type {
  ConversationMode,
  ConversationSnapshot,
  LiveConnection,
} from './conversation/conversation-state.ts';
export type { ConversationOptions, ConversationTiming } from './conversation/parts.ts';
export type { ConnectedRoom, PageState, Room, RoomEvents } from './conversation/room.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export {
  ApiError,
  type ApiErrorCode,
  ConnectionError,
  isApiError,
  isConnectionError,
} from './http/api-error.ts';
export type { Token, TokenSource } from './http/bearer.ts';
export type { CallOptions, CreateOptions } from './http/call.ts';
export type { List, ListOptions, Page } from './http/list.ts';
export { AgentStopped, isAgentStopped, type ReadLogOptions } from './resources/agents.ts';
export type { ExportOptions, LatestOptions } from './resources/messages.ts';
export type { ServiceInfo } from './resources/operations.ts';
export type {
  CreateTokenOptions,
  ListSessionsOptions,
  SessionBody,
  SessionStateOptions,
} from './resources/sessions.ts';
export type * from './shapes.ts';
export type { LatestAsk } from './timeline/catch-up.ts';
export type {
  ItemState,
  LearnedRow,
  LiveMessage,
  Mark,
  OwnMessage,
  TimelineItem,
} from './timeline/entry.ts';
export type {
  EndMetadata,
  GapMetadata,
  HandoverMetadata,
  KnownMetadata,
  ReportMetadata,
  SpokenMetadata,
  ToolCallMetadata,
  UnheardMetadata,
  VisitMetadata,
} from './timeline/known-metadata.ts';
export type { DetachedSnapshot, TimelineSnapshot } from './timeline/snapshot.ts';
export { Timeline } from './timeline/timeline.ts';
export type { HistoryPage, NewerAsk, OlderAsk, PageAsk } from './timeline/windows.ts';
