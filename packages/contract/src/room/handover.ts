import type { HandoverAgent, HandoverEvent } from './agent-event.ts';
import { cleanContent } from './clean.ts';
import { decodeReport, packetFields } from './decode-packet.ts';
import { endReport, type ReportOf } from './ending.ts';
import { type Fields, isFields, isText } from './fields.ts';
import type { PacketEvent, RoomEvent } from './room-event.ts';
import { type DecodeContext, type Decoded, skip } from './room-message.ts';
import type { HandoverRefusedPacket } from './wire.ts';

export type HandoverReport = ReportOf<HandoverEvent>;

/** Enough for the 64 characters that a template allows. */
const MAX_NAME_BYTES = 256;

const STATES = ['requested', 'taken', 'done', 'expired'] as const;

/**
 * Decides about a packet that `decode` skips as unknown. Clients do not call this function: they find handovers in the
 * history.
 */
export function decodeHandover(event: PacketEvent, context: DecodeContext): Decoded {
  const packet = packetFields(event.payload) ?? {};
  if (packet['type'] !== 'handover') return skip('unknown');
  const { message, state } = packet;
  const told = { ...packet, message: isText(message) ? message : `Handover: ${String(state)}` };
  return decodeReport(event, context, told, 'handover', handoverReport);
}

/**
 * Returns the refusal that the API has sent; undefined for every other event. Only the signature proves that the API
 * sent it.
 */
export function handoverRefusalIn(event: RoomEvent): HandoverRefusedPacket | undefined {
  if (event.type !== 'packet' || !event.isSigned) return undefined;
  const { type, handover, code, detail } = packetFields(event.payload) ?? {};
  if (type !== 'handover_refused') return undefined;
  if (!(isText(handover) && isText(code) && isText(detail))) return undefined;
  return { type, handover, code, detail };
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
