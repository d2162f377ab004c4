// The shapes of the API, as the SDK's users name them. `infra/tools` writes each one out without zod, so no other module
// imports a shape from the contract.
import type {
  AgentTemplateChange,
  ApiKeyRotation,
  EnvTemplateChange,
  IssuedApiKey as IssuedApiKeyShape,
  IssuedInvitation as IssuedInvitationShape,
  IssuedWebhook as IssuedWebhookShape,
  Member as MemberShape,
  MessageImport,
  NewAgentTemplate,
  NewApiKey,
  NewEnvTemplate,
  NewErasure,
  NewPlanTemplate,
  NewWebhook,
  PlanTemplateChange,
  SecretRotation,
  ToolTrialRequest,
  WebhookChange,
  WebhookReplay,
} from '@session/contract';
import type * as z from 'zod';

export type {
  AcceptedInvitation,
  Agent,
  AgentConnection,
  AgentLog,
  AgentPreflight,
  AgentTemplate,
  AgentTemplateVersion,
  AgentTimeline,
  AgentTurn,
  AgentTurns,
  AgentType,
  ApiKey,
  AuditAction,
  AuditEvent,
  CreatedSession,
  EndUser,
  EnvTemplate,
  Erasure,
  ExportedSession,
  FoundMessages,
  Health,
  ImportResult,
  Invitation,
  LatestMessages,
  ListedAgentTemplate,
  ListedAgentTemplateVersion,
  ListedSession,
  Login,
  Me,
  MemberRole,
  Message,
  NewAgent,
  NewMessage,
  NewSession,
  OpenInvitation,
  PlanTemplate,
  Problem,
  Project,
  ProjectSummary,
  ProviderSignIn,
  Recording,
  SearchLanguage,
  SentMessage,
  Session,
  SessionChange,
  SessionEvent,
  SessionState,
  SessionToken,
  SignInMethods,
  StartedAgent,
  Statistics,
  ToolTrial,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookNotice,
  WebhookPayload,
  WebhookReplayed,
} from '@session/contract';
export type { ErrorCode } from '@session/kit';

export type ApiKeyBody = z.input<typeof NewApiKey>;
export type ApiKeyRotationBody = z.input<typeof ApiKeyRotation>;
export type IssuedApiKey = z.output<typeof IssuedApiKeyShape>;
export type IssuedInvitation = z.output<typeof IssuedInvitationShape>;
/** What to erase: exactly one scope. */
export type ErasureBody = z.input<typeof NewErasure>;
export type WebhookBody = z.input<typeof NewWebhook>;
export type WebhookChangeBody = z.input<typeof WebhookChange>;
export type WebhookReplayBody = z.input<typeof WebhookReplay>;
export type WebhookRotationBody = z.input<typeof SecretRotation>;
export type IssuedWebhook = z.output<typeof IssuedWebhookShape>;
export type Member = z.output<typeof MemberShape>;
export type MessageImportBody = z.input<typeof MessageImport>;
export type EnvTemplateBody = z.input<typeof NewEnvTemplate>;
export type EnvTemplateChangeBody = z.input<typeof EnvTemplateChange>;
export type AgentTemplateBody = z.input<typeof NewAgentTemplate>;
export type ToolTrialBody = z.input<typeof ToolTrialRequest>;
export type AgentTemplateChangeBody = z.input<typeof AgentTemplateChange>;
export type PlanTemplateBody = z.input<typeof NewPlanTemplate>;
export type PlanTemplateChangeBody = z.input<typeof PlanTemplateChange>;
