import type { HandoverAgent, HandoverEvent } from './agent-event.ts';
import { cleanContent } from './clean.ts';
import { decodeReport, packetFields } from './decode-packet.ts';
import { endReport, type ReportOf } from './ending.ts';
import { type Fields, isFields, isText } from './fields.ts';
import type { PacketEvent } from './room-event.ts';
import { type DecodeContext, type Decoded, skip } from './room-message.ts';

/** What the history has of a handover. */
export type HandoverReport = ReportOf<HandoverEvent>;

/** Room for the 64 characters that a template allows. */
const MAX_NAME_BYTES = 256;

const STATES = ['requested', 'taken', 'done', 'expired'] as const;

/** Decides about a packet that `decode` does not know. Clients do not call it, and find handovers in the history. */
export function decodeHandover(event: PacketEvent, context: DecodeContext): Decoded {
  const packet = packetFields(event.payload) ?? {};
  if (packet['type'] !== 'handover') return skip('unknown');
  const { message, state } = packet;
  const told = { ...packet, message: isText(message) ? message : `Handover: ${String(state)}` };
  return decodeReport(event, context, told, 'handover', handoverReport);
}

function handoverReport(packet: Fields): HandoverReport | undefined {
  const state = STATES.find((one) => one === packet['state']);
  const to = agentIn(packet['to']);
  return state && { ...endReport(packet), state, ...(to && { to }) };
}

function agentIn(value: unknown): HandoverAgent | undefined {
  const { agentTemplateId, name } = isFields(value) ? value : {};
  if (!isText(agentTemplateId) || !isText(name)) return undefined;
  return { agentTemplateId: bounded(agentTemplateId), name: bounded(name) };
}

function bounded(text: string): string {
  return cleanContent(text, MAX_NAME_BYTES).content;
}
