import { type Fields, isFields, isText } from './fields.ts';
import { isAgent } from './room-event.ts';

export interface FoldableMessage {
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: unknown;
}

export interface AgentReport {
  readonly sender: string;
  readonly kind: unknown;
  readonly payload: Fields;
  readonly message: string;
  readonly at: string;
}

/**
 * Returns what an agent reported in a message; undefined for a message that no agent sent, or that another participant
 * may have sent.
 */
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
