// The shapes of the API, as the SDK's users name them. `infra/tools` writes each one out, without zod: so no other module
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

/** An API key, to create. */
export type ApiKeyBody = z.input<typeof NewApiKey>;
/** For how long the older secrets of a key stay valid. */
export type ApiKeyRotationBody = z.input<typeof ApiKeyRotation>;
/** An API key with its secret. */
export type IssuedApiKey = z.output<typeof IssuedApiKeyShape>;
/** An invitation with its link. */
export type IssuedInvitation = z.output<typeof IssuedInvitationShape>;
/** What to erase: exactly one scope. */
export type ErasureBody = z.input<typeof NewErasure>;
/** A webhook, to create. */
export type WebhookBody = z.input<typeof NewWebhook>;
/** A change of a webhook: what is left out stays. */
export type WebhookChangeBody = z.input<typeof WebhookChange>;
/** What is sent again, since when. */
export type WebhookReplayBody = z.input<typeof WebhookReplay>;
/** For how long the older secret of a webhook signs too. */
export type WebhookRotationBody = z.input<typeof SecretRotation>;
/** A webhook with its secret. */
export type IssuedWebhook = z.output<typeof IssuedWebhookShape>;
/** A member of a project. */
export type Member = z.output<typeof MemberShape>;
/** Messages of a conversation that happened elsewhere. */
export type MessageImportBody = z.input<typeof MessageImport>;
/** Variables for agents, to create. */
export type EnvTemplateBody = z.input<typeof NewEnvTemplate>;
/** A change of variables for agents: null removes a variable. */
export type EnvTemplateChangeBody = z.input<typeof EnvTemplateChange>;
/** Who an agent is and what it can do, to create. */
export type AgentTemplateBody = z.input<typeof NewAgentTemplate>;
/** The arguments and variables to try a tool with. */
export type ToolTrialBody = z.input<typeof ToolTrialRequest>;
/** A change of an agent template: null removes a field. */
export type AgentTemplateChangeBody = z.input<typeof AgentTemplateChange>;
/** What an agent does, step by step, to create. */
export type PlanTemplateBody = z.input<typeof NewPlanTemplate>;
/** A change of a plan: new steps replace all old ones. */
export type PlanTemplateChangeBody = z.input<typeof PlanTemplateChange>;
