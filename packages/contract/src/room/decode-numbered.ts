import { decode } from './decode.ts';
import { packetFields } from './decode-packet.ts';
import { decodeHandover } from './handover.ts';
import type { RoomEvent, TextStreamEvent } from './room-event.ts';
import { type DecodeContext, type Decoded, type MessageMetadata, skip } from './room-message.ts';
import { type SequenceNumber, sequenceOfAttribute, sequenceOfPacket } from './sequence-number.ts';
import { turnOf } from './turn-figures.ts';
import {
  CHAT_TOPIC,
  FINAL_ATTRIBUTE,
  RESENT_ID_ATTRIBUTE,
  RESENT_OF_ATTRIBUTE,
  RESENT_TOPIC,
  SEQUENCE_ATTRIBUTE,
  SPOKEN_AT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from './wire.ts';

const encoder = new TextEncoder();

/**
 * Decides as `decode` does, for programs that store messages. The message keeps its sequence number and the figures of
 * its turn. A message that its sender sent again becomes the original one, with its id and kind. Clients need none of
 * this.
 */
export function decodeNumbered(event: RoomEvent, context: DecodeContext): Decoded {
  if (event.type === 'text_stream') {
    const turn = turnOf(event);
    return withMetadata(decodeStream(event, context), { ...(turn && { turn }) });
  }
  const decoded = decodeStored(event, context);
  if (event.type !== 'packet' || decoded.outcome === 'skip') return decoded;
  const seq = sequenceOfPacket(packetFields(event.payload) ?? {});
  return withMetadata(decoded, { ...(seq && { seq }) });
}

function decodeStream(event: TextStreamEvent, context: DecodeContext): Decoded {
  const seq = sequenceOfAttribute(event.attributes[SEQUENCE_ATTRIBUTE] ?? '');
  if (event.topic === RESENT_TOPIC) return decodeResent(event, context, seq);
  return withMetadata(decode(event, context), { ...(seq && { seq }) });
}

/** A partial message is not stored, because its sender is asked again. */
function decodeResent(
  event: TextStreamEvent,
  context: DecodeContext,
  seq: SequenceNumber | undefined,
): Decoded {
  if (!seq || !event.hasEnded) return skip('unknown');
  const original = originalOf(event);
  if (!original) return skip('unknown');
  const decoded = decodeStored(original, context);
  // Without an id, it would be unknown whether the history has the message.
  if (decoded.outcome !== 'skip' && decoded.message.metadata.rawId === null) return skip('unknown');
  const spokenAt = spokenAtOf(event);
  return withMetadata(decoded, { seq, resent: true, ...(spokenAt && { spokenAt }) });
}

/** Decides as `decode` does, and also about messages that clients only read in the history. */
function decodeStored(event: RoomEvent, context: DecodeContext): Decoded {
  const decoded = decode(event, context);
  const isUnknown = decoded.outcome === 'skip' && decoded.reason === 'unknown';
  return isUnknown && event.type === 'packet' ? decodeHandover(event, context) : decoded;
}

function originalOf(event: TextStreamEvent): RoomEvent | undefined {
  const { attributes, text, sender, receivedAt } = event;
  const topic = attributes[RESENT_OF_ATTRIBUTE];
  if (topic === 'packet') {
    // Nobody repeats a packet in another participant's name.
    if (event.transcribers) return undefined;
    return { type: 'packet', payload: encoder.encode(text), sender, receivedAt };
  }
  const streamId = attributes[RESENT_ID_ATTRIBUTE];
  if ((topic !== CHAT_TOPIC && topic !== TRANSCRIPTION_TOPIC) || !streamId) return undefined;
  // Senders send only final texts again.
  const final = { ...attributes, [FINAL_ATTRIBUTE]: 'true' };
  return { ...event, topic, streamId, attributes: final, sentAt: null };
}

function spokenAtOf({ attributes }: TextStreamEvent): string | undefined {
  const date = new Date(attributes[SPOKEN_AT_ATTRIBUTE] ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function withMetadata(
  decoded: Decoded,
  fields: Pick<MessageMetadata, 'seq' | 'turn' | 'resent' | 'spokenAt'>,
): Decoded {
  if (decoded.outcome === 'skip') return decoded;
  const { message } = decoded;
  return {
    ...decoded,
    message: { ...message, metadata: { ...message.metadata, ...fields } },
  };
}
