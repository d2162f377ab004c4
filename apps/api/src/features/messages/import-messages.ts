import { ImportResult, MessageImport } from '@session/contract';
import { type MessageMetadata, messageIdOf, type Participant } from '@session/contract/room';
import * as db from '@session/db';
import { AppError, pause } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { endUserIdOf } from '../sessions/end-user-id.ts';
import { messageParams } from './message-schema.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** If the wait would be longer, the database's clock was set back. */
const MAX_WAIT_MS = 2000;
const LASTING = new AbortController().signal;

type Given = MessageImport['messages'][number];

/** Stores all messages or none, so a request whose answer was lost can be repeated unchanged. */
export function importMessages(app: ZodApp, deps: Deps): void {
  const { authorize, database, inSessionTurn, storedNotifier } = deps;
  const codes = [
    'forbidden',
    'not_found',
    'session_closed',
    'message_id_taken',
    'conversation_begun',
    'import_order',
  ] as const;
  const schema = {
    tags: ['messages'],
    operationId: 'importMessages',
    summary: 'Import a conversation that happened elsewhere',
    description:
      'Stores messages as texts with the times at which they were said, all of them or none, while the session has no others. A repeat changes nothing, by the ids. A longer conversation takes several requests, the oldest messages first; a request has at most 4 MiB. For an ADMIN, or a key of this role.',
    problems: codes,
    params: messageParams,
    body: MessageImport,
    response: { 200: ImportResult },
  };
  const route = { schema, bodyLimit: MAX_BODY_BYTES, handlerTimeout: LONG_REQUEST_MS };
  app.post('/sessions/:sessionId/import', route, async (request, reply) => {
    const { userId, params, body } = request;
    const found = await db.findSession(database, { id: params.sessionId, userId });
    const session = await authorize(userId, 'importMessages', found);
    const rows = body.messages.map((message) => rowOf(session, message));
    refuseDoubled(rows, body.messages);
    for (;;) {
      const result = await inSessionTurn(session.id, userId, async (unlimited) => {
        const outcome = await db.importMessages(unlimited, session.id, rows, userId);
        // Notified here, because the turn continues even when nobody waits for it.
        if (outcome.outcome === 'imported' && outcome.imported > 0) {
          storedNotifier.notify([session.id]);
        }
        return outcome;
      });
      if (result.outcome === 'ahead') {
        if (result.waitMs > MAX_WAIT_MS) {
          void reply.header('retry-after', Math.ceil(result.waitMs / 1000));
          throw tooFarAhead();
        }
        await pause(result.waitMs, LASTING);
        continue;
      }
      if (result.outcome !== 'imported') throw refusalOf(result, body.messages);
      const { imported } = result;
      return { imported, unchanged: rows.length - imported };
    }
  });
}

function rowOf(session: db.SessionRow, message: Given): db.ImportedMessageRow {
  const { id: rawId, role, content, timestamp } = message;
  const kind = 'text';
  const participant = participantOf(session.projectId, message);
  const metadata: MessageMetadata = { kind, participant, source: 'import', rawId };
  const id = messageIdOf(session.id, kind, rawId);
  return { id, saidAt: Date.parse(timestamp), role, content, metadata };
}

/** An end user has the same identity as in a room; anybody else gets an identity that no participant has. */
function participantOf(projectId: string, { role, participant }: Given): Participant | null {
  if (!participant) return null;
  const { id, name } = participant;
  const who = { name, sid: null, kind: role === 'assistant' ? 'agent' : 'standard' };
  if (id === undefined) return { identity: `import-${name}`, ...who };
  return { identity: `user-${endUserIdOf(projectId, id)}`, ...who, externalId: id };
}

function refuseDoubled(rows: readonly db.ImportedMessageRow[], messages: readonly Given[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of rows.entries()) {
    if (seen.has(id)) {
      const detail = `Two messages have the id ${messages[index]?.id}: give each message its own id.`;
      throw new AppError('invalid_request', 'two messages of the import have the same id', {
        detail,
      });
    }
    seen.add(id);
  }
}

function tooFarAhead(): AppError {
  const detail =
    'The session’s newest times lie in the future, because the database’s clock was set back. Nothing was imported. Wait for the number of seconds in the Retry-After header, then send the request again.';
  return new AppError('unavailable', 'the session is ahead of the database’s clock', { detail });
}

const CODES = {
  begun: 'conversation_begun',
  out_of_order: 'import_order',
  closed: 'session_closed',
} as const;

type Refused = Exclude<db.ImportOutcome, { outcome: 'imported' | 'ahead' }>;

function refusalOf(result: Refused, messages: readonly Given[]): AppError {
  const { outcome } = result;
  if (outcome === 'taken') {
    const detail = `The session has another message with the id ${messages[result.index]?.id}: give this one another id. Nothing was imported.`;
    return new AppError('message_id_taken', 'the import has the id of another message', { detail });
  }
  if (outcome === 'in_future') {
    const detail =
      'A message has a time in the future: send the times at which the messages were said. Nothing was imported.';
    return new AppError('invalid_request', 'the import has a time in the future', { detail });
  }
  return new AppError(CODES[outcome], `the import is refused: ${outcome}`);
}
