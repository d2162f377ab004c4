import * as z from 'zod';
import type { SequenceNumber } from '../room/sequence-number.ts';
import { encodePacket, MAX_PACKET_BYTES } from '../room/wire.ts';
import { byteLength } from './byte-length.ts';
import { EXAMPLE, examplesOf } from './example.ts';
import { Moment } from './parameters.ts';

const EXAMPLE_MESSAGE = {
  id: EXAMPLE.message,
  sessionId: EXAMPLE.session,
  content: 'Good morning',
  role: 'user',
  status: 'complete',
  metadata: { participant: { identity: `user-${EXAMPLE.user}`, name: 'Ada' } },
  timestamp: EXAMPLE.later,
  createdAt: EXAMPLE.later,
} as const;

export const Message = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    content: z.string(),
    role: z.enum(['user', 'assistant', 'system']),
    status: z.enum(['pending', 'complete']).nullable(),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'What is known besides the content: `kind`, `participant` (who sent the message, with the name at the join) and ' +
          'more. If `participant` is null, `candidates` are the identities of the participants that may have sent it. ' +
          'An agent may write in a participant’s name: `transcribers` are the identities of the agents that may have, and the ' +
          'role is `user` only for the transcript of a track of that participant. ' +
          '`interrupted: true` marks what an agent had said until it was interrupted, and `truncated: true` a content ' +
          'that is incomplete. `seq` is the number that the sender gave the message, and `resent: true` marks a message that it ' +
          'had to send again: `spokenAt` is when it was said. `erased`, with `at` and `erasureId`, marks a message whose content was erased: of its other metadata only `kind`, `seq` and a `rawId` that is null are left.',
      ),
    timestamp: z.string(),
    createdAt: z.string(),
  })
  .meta({
    id: 'Message',
    examples: [EXAMPLE_MESSAGE],
  });
export type Message = z.infer<typeof Message>;

export const SentMessage = Message.extend({
  deliveredTo: z
    .array(z.string())
    .nullable()
    .describe(
      'The identities of the agents that were in the room and read such texts. If it is empty, the message is stored, and no ' +
        'agent could read it. If it is null, that is not known: the room was not asked.',
    ),
}).meta({
  id: 'SentMessage',
  examples: [{ ...EXAMPLE_MESSAGE, deliveredTo: ['agent-light-agent-7c8d9e0f'] }],
});
export type SentMessage = z.infer<typeof SentMessage>;

const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A time after which a client continues to read: ISO 8601 with an offset, converted to UTC with exactly three digits of
 * a second. Further digits are cut off, because rounding up could skip a message.
 */
export const Since = Moment.transform((text) => {
  // Every `nextSince` has this form already. A valid time of 24 characters that ends with Z is in UTC and has three
  // digits of a second.
  if (text.length === 24 && text.endsWith('Z') && text >= '1970') return text;
  const time = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  // No message lies outside these limits, and PostgreSQL does not accept every date that JavaScript can write.
  return new Date(Math.min(Math.max(time, EARLIEST), LATEST)).toISOString();
});

/**
 * Messages that were created, grew, were completed or were erased after a time, in the order of these changes. With
 * `nextSince`, no message is missed; an id is repeated only while its message is pending, and once more when it is
 * erased.
 */
export const LatestMessages = z
  .object({
    items: z.array(Message),
    nextSince: z.string(),
    hasMore: z.boolean(),
    reset: z
      .literal(true)
      .optional()
      .describe(
        'The service was restored to an earlier time, and the reader may have read lost messages; or messages that the reader does ' +
          'not have were deleted because of their age: forget those of the session, and read them again',
      ),
  })
  .meta({
    id: 'LatestMessages',
    examples: [
      { items: examplesOf(Message), nextSince: EXAMPLE.later, hasMore: false },
      { items: [], nextSince: EXAMPLE.later, hasMore: true, reset: true },
    ],
  });
export type LatestMessages = z.infer<typeof LatestMessages>;

const MAX_CONTENT_BYTES = 32_000;
/** The content is sent to the room in one packet, which also has other fields. */
const MAX_JSON_BYTES = MAX_PACKET_BYTES - 1000;

const NewSequenceNumber = z
  .strictObject({
    q: z.string().regex(/^[\w-]{1,16}$/, 'a text of 1 to 16 letters, digits, - and _ is needed'),
    n: z.int().min(1),
  })
  .describe(
    'The number that the message has among those of its sender in the session: `n` counts from 1 on, `q` is one text for all of ' +
      'a client’s messages, chosen at random. With it the service notices which messages are missing',
  );

function packetBytes(data: string, id: string, seq: SequenceNumber | undefined): number {
  return encodePacket({ type: 'user_text', data, id, ...(seq && { seq }) }).byteLength;
}

export const NewMessage = z
  .strictObject({
    content: z
      .string()
      .min(1)
      .refine((text) => byteLength(text) <= MAX_CONTENT_BYTES, {
        error: `at most ${MAX_CONTENT_BYTES} bytes of UTF-8 are allowed`,
      })
      .refine((text) => byteLength(JSON.stringify(text)) <= MAX_JSON_BYTES, {
        error: `at most ${MAX_JSON_BYTES} bytes of JSON are allowed: the text has too many characters that JSON must escape`,
      }),
    id: z.string().min(1).max(256).optional(),
    seq: NewSequenceNumber.optional(),
  })
  // In JSON, each character of an id may take six bytes.
  .refine(({ content, id = '', seq }) => packetBytes(content, id, seq) <= MAX_PACKET_BYTES, {
    path: ['id'],
    error: `at most ${MAX_PACKET_BYTES} bytes of JSON are allowed for content and id together`,
  })
  .meta({
    id: 'NewMessage',
    examples: [{ content: 'Good morning', id: EXAMPLE.message }],
  });
export type NewMessage = z.infer<typeof NewMessage>;
