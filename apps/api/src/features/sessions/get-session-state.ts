import { Id, SessionState, Since } from '@session/contract';
import { foldState } from '@session/contract/room';
import { PAGE_BYTES, type StateMessageRow } from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { replyJson } from '../messages/message-schema.ts';

/** Later than any message. */
const END = '9999-12-31T23:59:59.999Z';

const querystring = z.strictObject({
  asOf: Since.optional().meta({
    description: 'Leaves out all messages that are later than this time',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
});

/**
 * `GET /sessions/:sessionId/state`: the plans and agents of the session, as `foldState` computes them from the history up to
 * `asOf`. Of more than 10,000 events of plans, or more than 4 MiB, the newest count.
 */
export function getSessionState(app: ZodApp, { authorize, messages }: Deps): void {
  const schema = {
    tags: ['sessions'],
    operationId: 'getSessionState',
    summary: 'Get the progress of the plans of a session, and what its agents last reported',
    problems: ['not_found'] as const,
    params: z.object({ sessionId: Id }),
    querystring,
    response: { 200: SessionState },
  };
  app.get('/sessions/:sessionId/state', { schema }, async (request, reply) => {
    const { userId, params, query } = request;
    const read = { ...params, userId, asOf: query.asOf ?? END };
    const found = await authorize(userId, 'read', await messages.readStateMessages(read));
    const decisive = newestWithin(found.messages, PAGE_BYTES).toReversed();
    const state = { ...foldState(decisive.map(foldable)), asOf: found.newestAt };
    return replyJson(reply, JSON.stringify(state));
  });
}

function foldable({ metadata, ...row }: StateMessageRow) {
  return { ...row, metadata: JSON.parse(metadata ?? 'null') };
}

/**
 * Returns the first of `rows` whose JSON fits into `maxBytes`: the state has no more than these. The statement counts the
 * bytes of the stored values, which are fewer where JSON escapes characters.
 */
function newestWithin(rows: readonly StateMessageRow[], maxBytes: number): StateMessageRow[] {
  let bytes = 0;
  return rows.filter(({ content, metadata }) => {
    bytes += Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(metadata ?? '');
    return bytes <= maxBytes;
  });
}
