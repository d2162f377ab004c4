import { type Fields, isFields, isText } from './fields.ts';
import { isAgent } from './room-event.ts';

/** The part of a stored message that the fold reads; a row of the history and the API's `Message` both fit. */
export interface FoldableMessage {
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: unknown;
}

/** What a stored message says of an agent's event. Its payload may be anything. */
export interface AgentReport {
  readonly sender: string;
  readonly kind: unknown;
  readonly payload: Fields;
  readonly message: string;
  /** The event's own time, or the message's where the event has none. */
  readonly at: string;
}

/** Returns the event that an agent sent, or undefined for every other message. */
export function agentReportOf({
  content,
  timestamp,
  metadata,
}: FoldableMessage): AgentReport | undefined {
  if (!isFields(metadata)) return undefined;
  const { kind, participant, payload } = metadata;
  if (!isFields(participant) || !isFields(payload)) return undefined;
  const { identity: sender, kind: senderKind } = participant;
  if (!isText(sender)) return undefined;
  if (!isAgent({ identity: sender, kind: isText(senderKind) ? senderKind : '' })) return undefined;
  return { sender, kind, payload, message: content, at: timeOf(payload, timestamp) };
}

function timeOf({ at }: Fields, otherwise: string): string {
  return isText(at) && /^\d{4}-\d\d-\d\dT/.test(at) ? at : otherwise;
}
