import { Id, SessionState, Since } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { historyStartOf } from '../../http/callers/caller.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { END_OF_TIME, replyJson } from '../messages/message-schema.ts';
import { foldedState } from './folded-state.ts';

const querystring = z.strictObject({
  asOf: Since.optional().meta({
    description: 'Leaves out all messages that are later than this time',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
});

/** Folds the newest 10,000 events of plans, and what each agent last reported: together at most 4 MiB. */
export function getSessionState(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['sessions'],
    operationId: 'getSessionState',
    summary: 'Get the progress of the plans of a session, and what its agents last reported',
    description:
      'Folds the events of the session into a to-do list, deliverables and a state of each agent, up to now or to the time `asOf`.',
    problems: ['not_found'] as const,
    params: z.object({ sessionId: Id }),
    querystring,
    response: { 200: SessionState },
  };
  const route = { schema, config: { participant: 'sessionId' as const } };
  app.get('/sessions/:sessionId/state', route, async (request, reply) => {
    const { userId, params, query } = request;
    if (historyStartOf(request) !== null) {
      const detail =
        'A token with the history `since_join` reads messages only, not the state: ask for a token with the history `all`.';
      throw new AppError('not_found', 'the state is older than the history', { detail });
    }
    const read = { ...params, userId, asOf: query.asOf ?? END_OF_TIME };
    const found = await authorize(userId, 'read', await db.readStateMessages(database, read));
    const state = { ...foldedState(found.messages), asOf: found.newestAt };
    return replyJson(reply, JSON.stringify(state));
  });
}
