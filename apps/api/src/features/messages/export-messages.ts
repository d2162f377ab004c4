import { Readable } from 'node:stream';
import { ExportedSession, examplesOf, Message } from '@session/contract';
import type { MessageRow } from '@session/db';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { partsOf } from '../../http/parts.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageJson, messageParams, metadataOf } from './message-schema.ts';

const BATCH_SIZE = 500;
const TIMEOUT_MS = 3_600_000;

const querystring = z.strictObject({
  format: z.enum(['jsonl', 'markdown']).default('jsonl'),
  session: z.enum(['true', 'false']).optional().meta({
    description:
      'With `true` the first of the JSON lines is `{"session": …}`, with `externalId` and `metadata`. Markdown always begins with them',
  }),
});

const FORMATS = {
  jsonl: { type: 'application/jsonl; charset=utf-8', extension: 'jsonl', write: asLine },
  markdown: { type: 'text/markdown; charset=utf-8', extension: 'md', write: asMarkdown },
} as const;

/**
 * Reads the history in batches, as fast as the client takes them. Holds no database connection between batches. Each
 * batch is read only for a member: if the reader is removed meanwhile, the connection is closed, and the file is
 * incomplete.
 */
export function exportMessages(app: ZodApp, { authorize, database, exports }: Deps): void {
  const content = {
    'application/jsonl': { schema: fileLike(`${JSON.stringify(examplesOf(Message)[0])}\n`) },
    'text/markdown': {
      schema: fileLike('# Hello\n\n**user, Ada** 2026-11-21T08:00:04.250Z\n\n> Hi\n'),
    },
  };
  const response = { 200: { description: 'The history', content } };
  const schema = {
    tags: ['messages'],
    operationId: 'exportMessages',
    summary: 'Export the whole history as a file',
    description:
      'Streams every message of the session, the oldest first, as JSON lines or as Markdown.',
    problems: ['not_found'] as const,
    params: messageParams,
    querystring,
    response,
  };
  const options = {
    schema,
    // Fastify would read the whole history for HEAD, at once and without a limit for slow readers.
    exposeHeadRoute: false,
    handlerTimeout: TIMEOUT_MS,
    config: { long: 'cut' as const },
  };
  app.get('/sessions/:sessionId/export', options, async (request, reply) => {
    const { userId, params, query } = request;
    const { sessionId } = params;
    const session = await db.findSession(database, { id: sessionId, userId });
    const exported = ExportedSession.parse(await authorize(userId, 'read', session));
    const { type, extension, write } = FORMATS[query.format];
    async function* lines() {
      yield beginningOf(exported, query);
      let after = db.BEFORE_ALL;
      for (;;) {
        const batch = { sessionId, userId, after, limit: BATCH_SIZE };
        const found = await db.readMessagesForExport(exports, batch);
        if (!found) throw new AppError('not_found', 'the reader is no longer a member');
        const rows = found.messages;
        yield* partsOf(Buffer.from(rows.map((row) => write(sessionId, row)).join('')));
        const last = rows.at(-1);
        if (!last || (rows.length < BATCH_SIZE && !found.isFull)) return;
        after = last.timestamp;
      }
    }
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${sessionId}.${extension}"`)
      .send(Readable.from(lines(), { highWaterMark: 1 }));
  });
}

function fileLike(example: string): z.ZodType<Readable | string, Readable | string> {
  return z.string().meta({ examples: [example] });
}

function beginningOf(session: ExportedSession, query: z.infer<typeof querystring>): string {
  if (query.format === 'markdown') return headingOf(session);
  return query.session === 'true' ? `${JSON.stringify({ session })}\n` : '';
}

function headingOf({ name, externalId, metadata }: ExportedSession): string {
  const own = Object.entries({ ...(externalId !== null && { externalId }), ...metadata });
  const lines = own.map(([key, value]) => `- ${inOneLine(key)}: ${inOneLine(value)}\n`);
  return [`# ${inOneLine(name)}\n`, ...(own.length > 0 ? ['\n', ...lines] : [])].join('');
}

function asLine(sessionId: string, row: MessageRow): string {
  return `${messageJson(sessionId, row)}\n`;
}

/** Quotes the content of a message, so that nothing in it looks like a heading of the file. */
function asMarkdown(_sessionId: string, row: MessageRow): string {
  const { role, timestamp, status, content } = row;
  const { participant, erased } = metadataOf(row) ?? {};
  const hasName = typeof participant === 'object' && participant !== null && 'name' in participant;
  const name = hasName && typeof participant.name === 'string' ? participant.name : '';
  const marks = [status === 'pending' && 'unfinished', erased !== undefined && 'erased'];
  const author = [role, inOneLine(name), ...marks].filter(Boolean);
  const quoted = content.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
  return `\n**${author.join(', ')}** ${timestamp}\n\n${quoted.join('\n')}\n`;
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&');
}
