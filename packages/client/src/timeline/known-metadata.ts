import type {
  EndReport,
  HandoverReport,
  MessageKind,
  Participant,
  ToolCallReport,
  TurnFigures,
} from '@session/contract/room';
import type { TimelineItem } from './entry.ts';

interface Known<Kind extends MessageKind> {
  readonly kind: Kind;
  /** Who sent the message; null if that is unknown, or if the service sent it. */
  readonly participant: Participant | null;
  readonly candidates?: readonly string[];
}

export interface SpokenMetadata extends Known<'text' | 'transcript'> {
  /** The identities of the agents that may have written it in the participant's name. */
  readonly transcribers?: readonly string[];
  /** ISO 8601, by the sender's clock. */
  readonly spokenAt?: string;
  readonly language?: string;
  readonly interrupted?: true;
  readonly truncated?: true;
  readonly turn?: TurnFigures;
}

export interface ReportMetadata
  extends Known<'complete_todo_list' | 'plan_deliverable_update' | 'state_change_notification'> {
  readonly payload?: unknown;
}

export interface ToolCallMetadata extends Known<'tool_call'> {
  readonly payload: ToolCallReport;
}

export interface EndMetadata extends Known<'conversation_ended'> {
  readonly payload: EndReport;
}

export interface HandoverMetadata extends Known<'handover'> {
  readonly payload: HandoverReport;
}

export interface VisitMetadata extends Known<'participant_joined' | 'participant_left'> {
  /** ISO 8601, by the media server's clock. */
  readonly joinedAt?: string;
}

export interface GapMetadata extends Known<'recording_gap'> {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /**
   * How many messages of one sender came too fast, or never arrived. Without this field, nothing was recorded in that
   * time.
   */
  readonly count?: number;
  readonly identity?: string;
}

export type UnheardMetadata = Known<'unheard'>;

/** The metadata of a message, by its `kind`. The kinds are an open enumeration: a newer service may store others. */
export type KnownMetadata =
  | SpokenMetadata
  | ReportMetadata
  | ToolCallMetadata
  | EndMetadata
  | HandoverMetadata
  | VisitMetadata
  | GapMetadata
  | UnheardMetadata;

/** Returns whether the item is something that was said or written, rather than an event. */
export function isSpoken(item: TimelineItem): item is TimelineItem & {
  readonly kind: SpokenMetadata['kind'];
  readonly metadata: SpokenMetadata | null;
} {
  return item.kind === 'text' || item.kind === 'transcript';
}
