import {
  decode,
  decodeNumbered,
  MAX_PACKET_BYTES,
  type Participant,
  SEGMENT_ATTRIBUTE,
  SEQUENCE_ATTRIBUTE,
  sequenceAttribute,
} from '@session/contract/room';
import type { NumberedMessage, SentMessages } from './sent-messages.ts';

type Attributes = Readonly<Record<string, string>>;

const NOBODY = { sessionId: '', newId: () => '' };
const MAX_NUMBER_BYTES = 64;

const encoder = new TextEncoder();

/**
 * Numbers a packet, and returns its bytes. Returns undefined for a packet that no recorder stores, or that has no space
 * for a number.
 */
export function numberPacket(
  sent: SentMessages,
  sender: Participant,
  packet: { readonly id: string; readonly [field: string]: unknown },
): Uint8Array<ArrayBuffer> | undefined {
  const payload = encoder.encode(JSON.stringify(packet));
  if (payload.byteLength + MAX_NUMBER_BYTES > MAX_PACKET_BYTES) return undefined;
  const decoded = decodeNumbered({ type: 'packet', payload, sender, receivedAt: 0 }, NOBODY);
  // A raw id that is too long counts as none, and a message without one cannot be sent again.
  if (decoded.outcome !== 'store' || decoded.message.metadata.rawId === null) return undefined;
  const message = sent.number('packet', packet.id);
  const text = JSON.stringify({ ...packet, seq: message.seq });
  message.write(text);
  message.end();
  return encoder.encode(text);
}

/** Returns the attributes with which a text stream begins. The stream is numbered if a recorder will store it. */
export function numberText(
  sent: SentMessages,
  sender: Participant,
  {
    topic,
    streamId,
    attributes,
  }: { readonly topic: string; readonly streamId: string; readonly attributes: Attributes },
): { readonly message: NumberedMessage | undefined; readonly attributes: Attributes } {
  const stream = { type: 'text_stream', topic, streamId, attributes, sender } as const;
  const ended = { ...stream, text: '…', hasEnded: true, sentAt: null, receivedAt: 0 };
  if (decode(ended, NOBODY).outcome !== 'store') return { message: undefined, attributes };
  const message = sent.number(topic, attributes[SEGMENT_ATTRIBUTE] || streamId);
  const number = { [SEQUENCE_ATTRIBUTE]: sequenceAttribute(message.seq) };
  return { message, attributes: { ...attributes, ...number } };
}
