import { cleanContent, cleanJson, cleanSender, shortTextOf, timeField } from './clean.ts';
import { type EndReport, endReport } from './ending.ts';
import { type Fields, isFields, isText } from './fields.ts';
import { messageIdOf } from './message-id.ts';
import { isFromAgent, isRecorder, type PacketEvent } from './room-event.ts';
import {
  type DecodeContext,
  type Decoded,
  type MessageKind,
  type MessageMetadata,
  type MessageRole,
  type RoomMessage,
  skip,
} from './room-message.ts';
import { type ToolCallReport, toolCallReport } from './tool-call.ts';

const DEFAULT_SENTENCES = {
  complete_todo_list: 'The task list was updated.',
  plan_deliverable_update: 'A deliverable was updated.',
  state_change_notification: 'The state changed.',
} as const satisfies Partial<Record<MessageKind, string>>;

const MAX_SENTENCE_BYTES = 1024;

type Report = (packet: Fields) => EndReport | ToolCallReport | undefined;

const REPORTS = { tool_call: toolCallReport, conversation_ended: endReport } as const;

const decoder = new TextDecoder();

export function decodePacket(event: PacketEvent, context: DecodeContext): Decoded {
  const packet = packetFields(event.payload);
  const type = packet?.['type'];
  if (!packet || typeof type !== 'string') return skip('unknown');
  if (event.sender && isRecorder(event.sender)) return skip('recorder');
  if (type === 'user_text') {
    const role = isFromAgent(event) ? 'assistant' : 'user';
    return decodeText(event, context, { packet, kind: 'text', text: packet['data'], role });
  }
  if (type === 'transcript') {
    if (packet['is_final'] !== true) return skip('partial_transcript');
    const role = roleOfTranscript(event, packet);
    return decodeText(event, context, { packet, kind: 'transcript', text: packet['text'], role });
  }
  if (isReport(type)) return decodeReport(event, context, packet, type, REPORTS[type]);
  if (isAgentEvent(type)) return decodeAgentEvent(event, context, packet, type);
  if (/^tts(?![a-z])/i.test(type)) return skip('tts_control');
  if (/^audio(?![a-z])/i.test(type)) return skip('audio_chunk');
  return skip('unknown');
}

function decodeText(
  event: PacketEvent,
  context: DecodeContext,
  part: { packet: Fields; kind: 'text' | 'transcript'; text: unknown; role: MessageRole },
): Decoded {
  const { packet, kind, text, role } = part;
  if (typeof text !== 'string') return skip('unknown');
  if (text === '') return skip('empty');
  const { content, isCut } = cleanContent(text);
  const language = shortTextOf(packet['language']);
  const metadata: MessageMetadata = {
    ...sourceOf(event, packet, kind),
    ...timeField('spokenAt', packet['timestamp']),
    ...(language !== null && { language }),
    ...(isCut && { truncated: true }),
  };
  return store(event, context, { role, status: 'complete', kind, content, metadata });
}

function decodeAgentEvent(
  event: PacketEvent,
  context: DecodeContext,
  packet: Fields,
  kind: keyof typeof DEFAULT_SENTENCES,
): Decoded {
  const sentence = isFromAgent(event) ? packet['message'] : undefined;
  const hasSentence = typeof sentence === 'string' && sentence.trim() !== '';
  const { content, isCut } = cleanContent(hasSentence ? sentence : DEFAULT_SENTENCES[kind]);
  const metadata: MessageMetadata = {
    ...sourceOf(event, packet, kind),
    ...(isCut && { truncated: true }),
    payload: cleanJson(hasSentence && !isCut ? withoutSentence(packet) : packet),
  };
  return store(event, context, { role: 'system', status: null, kind, content, metadata });
}

/**
 * Decodes a report. Unlike other events, a report is stored only if an agent sent it, and has separate size limits,
 * because it contains texts of servers and models. `report` returns what to store of a packet; undefined for an invalid
 * packet.
 */
export function decodeReport(
  event: PacketEvent,
  context: DecodeContext,
  packet: Fields,
  kind: MessageKind,
  report: Report,
): Decoded {
  const payload = isFromAgent(event) ? report(packet) : undefined;
  if (!payload) return skip('unknown');
  const { message } = packet;
  const sentence =
    'tool' in payload ? `${payload.tool}: ${payload.state}` : 'The agent ended the conversation.';
  const { content } = cleanContent(isText(message) ? message : sentence, MAX_SENTENCE_BYTES);
  const metadata: MessageMetadata = { ...sourceOf(event, packet, kind), payload };
  return store(event, context, { role: 'system', status: null, kind, content, metadata });
}

/** Removes the sentence, which is already the message's content and would double its size. */
function withoutSentence({ message: _sentence, ...rest }: Fields): Fields {
  return rest;
}

function store(
  { receivedAt }: PacketEvent,
  { sessionId, newId }: DecodeContext,
  message: Omit<RoomMessage, 'id' | 'sessionId' | 'receivedAt'>,
): Decoded {
  const { rawId } = message.metadata;
  const id = rawId === null ? newId() : messageIdOf(sessionId, message.kind, rawId);
  return { outcome: 'store', message: { id, sessionId, ...message, receivedAt } };
}

function sourceOf(
  event: PacketEvent,
  packet: Fields,
  kind: MessageKind,
): Pick<MessageMetadata, 'kind' | 'participant' | 'candidates' | 'source' | 'rawId'> {
  const source = String(packet['type']);
  return { kind, ...cleanSender(event), source, rawId: shortTextOf(packet['id']) };
}

/**
 * Returns `user` for a sender that may be a person. An agent may transcribe a person, so for an agent the `role` in the
 * packet decides.
 */
function roleOfTranscript(event: PacketEvent, packet: Fields): MessageRole {
  return isFromAgent(event) && packet['role'] !== 'user' ? 'assistant' : 'user';
}

function isAgentEvent(type: string): type is keyof typeof DEFAULT_SENTENCES {
  return Object.hasOwn(DEFAULT_SENTENCES, type);
}

function isReport(type: string): type is keyof typeof REPORTS {
  return Object.hasOwn(REPORTS, type);
}

/** Returns the JSON object in a packet; undefined when the packet contains anything else. */
export function packetFields(payload: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(payload));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
