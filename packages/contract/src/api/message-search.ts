import * as z from 'zod';
import { examplesOf } from './example.ts';
import { Message, Since } from './message.ts';
import { Id, WholeNumberOr } from './parameters.ts';

const MAX_QUERY = 200;

export const MessageSearchQuery = z.strictObject({
  q: z
    .string()
    .min(1)
    .max(MAX_QUERY)
    .describe(
      'Words that were said, all of them; `"in this order"`, `this or that`, `-without`. A word is found as a whole, whatever its case; ' +
        'with a `searchLanguage` of the project in its other forms too',
    ),
  sessionId: Id.optional().describe('Messages of this session'),
  role: z.enum(['user', 'assistant']).optional().describe('Messages of this role'),
  from: Since.optional().describe('Messages of this time or later'),
  to: Since.optional().describe('Messages before this time'),
  limit: WholeNumberOr(20, 1, 50).describe('The largest number of items to return'),
  cursor: z.string().optional().describe('The `nextCursor` of the previous page'),
});

const Highlight = z.tuple([z.int(), z.int()]);

export const FoundMessage = z
  .object({
    sessionId: z.string(),
    sessionName: z.string(),
    message: Message,
    snippet: z
      .string()
      .describe('The part of the content with the words that were found, as plain text'),
    highlights: z
      .array(Highlight)
      .describe(
        'Where these words are in the snippet: start and length, in UTF-16 code units, as `length` of a string in JavaScript counts',
      ),
  })
  .meta({
    id: 'FoundMessage',
    examples: examplesOf(Message).map((message) => ({
      sessionId: Message.parse(message).sessionId,
      sessionName: 'Support call',
      message,
      snippet: 'Good morning',
      highlights: [[5, 7]],
    })),
  });
export type FoundMessage = z.infer<typeof FoundMessage>;

const SearchLag = z
  .object({
    sessions: z
      .int()
      .describe(
        'In how many sessions of the service the index is behind, at most 1,000. With 0 everything is found',
      ),
    seconds: z.number().describe('How far the index is behind'),
  })
  .describe(
    'A message is usually found within two seconds. It may take longer after an upgrade of the service, or while a project is indexed in another language',
  );

export const FoundMessages = z
  .object({ items: z.array(FoundMessage), nextCursor: z.string().nullable(), lag: SearchLag })
  .meta({
    id: 'FoundMessages',
    examples: [
      { items: examplesOf(FoundMessage), nextCursor: null, lag: { sessions: 0, seconds: 0 } },
    ],
  });
export type FoundMessages = z.infer<typeof FoundMessages>;
