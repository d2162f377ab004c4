import type { EndEvent, HandoverEvent } from './agent-event.ts';
import { cleanContent, cleanText } from './clean.ts';
import { type Fields, isFields, isText } from './fields.ts';

type ReportOf<Event> = Omit<Event, 'type' | 'id' | 'message' | 'at'> & { readonly at?: string };

/** What the history has of the end of a conversation. */
export type EndReport = ReportOf<EndEvent>;

/** What the history has of a handover. */
export type HandoverReport = ReportOf<HandoverEvent>;

const STATES: ReadonlySet<unknown> = new Set<HandoverEvent['state']>([
  'requested',
  'done',
  'expired',
]);
const MAX_NAME_LENGTH = 128;
/** Room for the 200 characters that an agent of ours sends. */
const MAX_REASON_BYTES = 800;

export function endReport({ at, reason }: Fields): EndReport {
  return { ...(isName(at) && { at: cleanText(at) }), reason: boundedReason(reason) };
}

/** Returns what a packet reports of a handover; undefined if a field is missing or unknown. */
export function handoverReport(packet: Fields): HandoverReport | undefined {
  const { at, handover, state, to, reason } = packet;
  if (!isName(handover) || !isState(state) || !isFields(to)) return undefined;
  const { kind, agentTemplateId, name } = to;
  if (kind !== 'agent' || !isName(agentTemplateId) || !isName(name)) return undefined;
  return {
    ...(isName(at) && { at: cleanText(at) }),
    handover: cleanText(handover),
    state,
    to: { kind, agentTemplateId: cleanText(agentTemplateId), name: cleanText(name) },
    reason: boundedReason(reason),
  };
}

function boundedReason(reason: unknown): string {
  return isText(reason) ? cleanContent(reason, MAX_REASON_BYTES).content : '';
}

function isName(value: unknown): value is string {
  return isText(value) && value.length <= MAX_NAME_LENGTH;
}

function isState(value: unknown): value is HandoverEvent['state'] {
  return STATES.has(value);
}
