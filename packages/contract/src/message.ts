import * as z from 'zod';
import { EXAMPLE, examplesOf } from './example.ts';
import { Moment } from './parameters.ts';

/** A stored message as the API gives it. A status of null counts as complete. */
export const Message = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    content: z.string(),
    role: z.enum(['user', 'assistant', 'system']),
    status: z.enum(['pending', 'complete']).nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    timestamp: z.string(),
    createdAt: z.string(),
  })
  .meta({
    id: 'Message',
    examples: [
      {
        id: EXAMPLE.message,
        sessionId: EXAMPLE.session,
        content: 'Good morning',
        role: 'user',
        status: 'complete',
        metadata: { participant: { identity: `user-${EXAMPLE.user}`, name: 'Ada' } },
        timestamp: EXAMPLE.later,
        createdAt: EXAMPLE.later,
      },
    ],
  });
export type Message = z.infer<typeof Message>;

const EARLIEST = Date.parse('1970-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A time to read on from: ISO 8601 with an offset, given in UTC with exactly milliseconds. Finer digits are cut off, never
 * rounded up: a message of the rounded millisecond would be missed.
 */
export const Since = Moment.transform((text) => {
  const time = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  // No message lies beyond these, and PostgreSQL takes not all that JavaScript can write.
  return new Date(Math.min(Math.max(time, EARLIEST), LATEST)).toISOString();
});

/** What was made or completed after a time, in that order. Sending `nextSince` back misses none and repeats none. */
export const LatestMessages = z
  .object({ items: z.array(Message), nextSince: z.string(), hasMore: z.boolean() })
  .meta({
    id: 'LatestMessages',
    examples: [{ items: examplesOf(Message), nextSince: EXAMPLE.later, hasMore: false }],
  });
export type LatestMessages = z.infer<typeof LatestMessages>;

const MAX_CONTENT_BYTES = 32_000;
/** A room carries no packet of more than 63,000 bytes: the rest is for what stands around the content. */
const MAX_JSON_BYTES = 62_000;

const sizeBytes = (text: string) => new TextEncoder().encode(text).length;

/** What a person says without a microphone. With an `id` it can be sent again without being said twice. */
export const NewMessage = z
  .strictObject({
    content: z
      .string()
      .min(1)
      .refine((text) => sizeBytes(text) <= MAX_CONTENT_BYTES, {
        error: `at most ${MAX_CONTENT_BYTES} bytes of UTF-8 are allowed`,
      })
      .refine((text) => sizeBytes(JSON.stringify(text)) <= MAX_JSON_BYTES, {
        error: `at most ${MAX_JSON_BYTES} bytes of JSON are allowed: it has too many characters to escape`,
      }),
    id: z.string().min(1).max(256).optional(),
  })
  .meta({
    id: 'NewMessage',
    examples: [{ content: 'Good morning', id: EXAMPLE.message }],
  });
export type NewMessage = z.infer<typeof NewMessage>;
