import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { Message } from './message.ts';
import { Moment } from './parameters.ts';
import { ExternalId } from './session.ts';

const MAX_MESSAGES = 1000;
const MAX_CONTENT_CHARACTERS = 100_000;

const ImportedMessage = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(256)
      .describe('Your id of the message, kept in `metadata.rawId`. A UUID becomes the message id'),
    role: Message.shape.role,
    content: z.string().min(1).max(MAX_CONTENT_CHARACTERS),
    timestamp: Moment.refine((text) => Date.parse(text) >= 0, {
      error: 'a time since 1970 is needed',
    }).describe(
      'When it was said. If several have the same millisecond, each gets one more than the one before',
    ),
    participant: z
      .strictObject({
        id: ExternalId.optional().describe(
          'Your id of an end user, as in `participant` of a token. Imported and later messages then have one sender',
        ),
        name: z.string().trim().min(1).max(200),
      })
      .optional()
      .describe('Who said it'),
  })
  .refine(({ role, participant }) => role === 'user' || participant?.id === undefined, {
    path: ['participant', 'id'],
    error: 'leave out participant.id: only messages of the role user can have it',
  });

export const MessageImport = z
  .strictObject({
    messages: z
      .array(ImportedMessage)
      .min(1)
      .max(MAX_MESSAGES)
      .superRefine((messages, context) => {
        const times = messages.map(({ timestamp }) => Date.parse(timestamp));
        const late = times.findIndex((time, index) => time < (times[index - 1] ?? time));
        if (late < 0) return;
        const message = 'the message is older than the one before: send the oldest first';
        context.addIssue({ code: 'custom', path: [late, 'timestamp'], message });
      }),
  })
  .meta({
    id: 'MessageImport',
    examples: [
      {
        messages: [
          {
            id: 'chat-7-1',
            role: 'user',
            content: 'Do you have a room?',
            timestamp: EXAMPLE.at,
            participant: { id: 'customer-7', name: 'Ada' },
          },
          {
            id: 'chat-7-2',
            role: 'assistant',
            content: 'For which night?',
            timestamp: EXAMPLE.later,
            participant: { name: 'Front desk' },
          },
        ],
      },
    ],
  });
export type MessageImport = z.infer<typeof MessageImport>;

export const ImportResult = z
  .object({
    imported: z.number().int(),
    unchanged: z
      .number()
      .int()
      .describe('How many of the messages an earlier request had imported'),
  })
  .meta({ id: 'ImportResult', examples: [{ imported: 2, unchanged: 0 }] });
export type ImportResult = z.infer<typeof ImportResult>;
