import {
  cleanContent,
  cleanJson,
  cleanParticipant,
  cleanSender,
  cleanText,
  MAX_SHORT_LENGTH,
  shortTextOf,
  timeField,
} from './clean.ts';
import { decodePacket } from './decode-packet.ts';
import { messageIdOf } from './message-id.ts';
import {
  type ChatMessageEvent,
  isAgent,
  isFromAgent,
  isRecorder,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
  type Transcribed,
} from './room-event.ts';
import {
  type DecodeContext,
  type Decoded,
  type MessageKind,
  type MessageMetadata,
  type MessageRole,
  type RoomMessage,
  skip,
} from './room-message.ts';
import {
  CHAT_TOPIC,
  FINAL_ATTRIBUTE,
  INTERRUPTED_ATTRIBUTE,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TRUNCATED_ATTRIBUTE,
} from './wire.ts';

/**
 * Decides whether a room event becomes a message, and which one. Pure, so that the recorder and every client decide
 * alike. Never throws, whatever a room sends.
 */
export function decode(event: RoomEvent, context: DecodeContext): Decoded {
  return 'participant' in event ? decodePresence(event, context) : decodeSaid(event, context);
}

/** Decides as `decode` does, for clients. They read joins and leaves only in the history. */
export function decodeSaid(
  event: Exclude<RoomEvent, PresenceEvent>,
  context: DecodeContext,
): Decoded {
  if (event.type === 'packet') return decodePacket(event, context);
  if (event.type === 'text_stream') return decodeTextStream(event, context);
  return decodeChatMessage(event, context);
}

function decodeTextStream(event: TextStreamEvent, { sessionId }: DecodeContext): Decoded {
  const { topic, attributes, sender, hasEnded, receivedAt } = event;
  if (topic !== TRANSCRIPTION_TOPIC && topic !== CHAT_TOPIC) return skip('unknown');
  if (isRecorder(sender)) return skip('recorder');
  if (event.text === '') return skip('empty');
  const kind: MessageKind = topic === CHAT_TOPIC ? 'text' : 'transcript';
  const segmentId = kind === 'transcript' ? shortTextOf(attributes[SEGMENT_ATTRIBUTE]) : null;
  // Cut instead of skipped, because all parts of a stream need the same id.
  const rawId = segmentId ?? cleanText(event.streamId.slice(0, MAX_SHORT_LENGTH));
  const { content, isCut } = cleanContent(event.text);
  // LiveKit's agents do not mark their speech as final, so a stream that ended properly counts as final.
  const isFinal = kind === 'text' || attributes[FINAL_ATTRIBUTE] === 'true' || isAgent(sender);
  const message: RoomMessage = {
    id: messageIdOf(sessionId, kind, rawId, sender.identity),
    sessionId,
    role: roleOf(event, isAgent(sender), kind),
    status: isFinal && hasEnded ? 'complete' : 'pending',
    kind,
    content,
    metadata: {
      kind,
      participant: cleanParticipant(sender),
      ...transcribersOf(event),
      source: topic,
      rawId,
      ...timeField('spokenAt', event.sentAt),
      ...marksOf(event, isCut),
    },
    receivedAt,
  };
  return { outcome: hasEnded && !isFinal ? 'interim' : 'store', message };
}

function marksOf(
  { attributes, sender, hasEnded }: TextStreamEvent,
  isCut: boolean,
): Pick<MessageMetadata, 'interrupted' | 'truncated'> {
  const hasMark = (name: string) => isAgent(sender) && attributes[name] === 'true';
  return {
    ...(hasMark(INTERRUPTED_ATTRIBUTE) && { interrupted: true }),
    ...((isCut || !hasEnded || hasMark(TRUNCATED_ATTRIBUTE)) && { truncated: true }),
  };
}

function decodeChatMessage(event: ChatMessageEvent, { sessionId, newId }: DecodeContext): Decoded {
  const { receivedAt } = event;
  if (event.text === '') return skip('empty');
  const rawId = shortTextOf(event.id);
  const { content, isCut } = cleanContent(event.text);
  const kind = 'text';
  const metadata: MessageMetadata = {
    kind,
    ...cleanSender(event),
    ...transcribersOf(event),
    source: 'chat_message',
    rawId,
    ...timeField('spokenAt', event.sentAt),
    ...(isCut && { truncated: true }),
  };
  const id = rawId === null ? newId() : messageIdOf(sessionId, kind, rawId);
  const role = roleOf(event, isFromAgent(event), kind);
  return {
    outcome: 'store',
    message: { id, sessionId, role, status: 'complete', kind, content, metadata, receivedAt },
  };
}

/**
 * Returns the role of a text. If an agent may have published the text in a person's name, it counts as the person's
 * only if it is a transcript of the person's own track. So agents cannot invent a person's words.
 */
function roleOf(
  { transcribers, isOfTrack }: Transcribed,
  isAgents: boolean,
  kind: MessageKind,
): MessageRole {
  if (isAgents) return 'assistant';
  const isProved = kind === 'transcript' && isOfTrack === true;
  return transcribers === undefined || isProved ? 'user' : 'system';
}

function transcribersOf({ transcribers }: Transcribed): Pick<MessageMetadata, 'transcribers'> {
  return transcribers === undefined ? {} : { transcribers: transcribers.map(cleanText) };
}

function decodePresence(event: PresenceEvent, { sessionId }: DecodeContext): Decoded {
  const { type: kind, receivedAt, reason } = event;
  if (isRecorder(event.participant)) return skip('recorder');
  const participant = cleanParticipant(event.participant);
  const rawId = cleanText(event.participant.sid);
  const displayName = participant.name || participant.identity;
  const metadata: MessageMetadata = {
    kind,
    participant,
    source: kind,
    rawId,
    ...timeField('joinedAt', event.joinedAt),
    ...(reason !== null && { payload: cleanJson({ reason }) }),
  };
  return {
    outcome: 'store',
    message: {
      id: messageIdOf(sessionId, kind, rawId),
      sessionId,
      role: 'system',
      status: null,
      kind,
      content: `${displayName} ${kind === 'participant_joined' ? 'joined' : 'left'}`,
      metadata,
      receivedAt,
    },
  };
}
