import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';

const body = z
  .strictObject({})
  .nullish()
  .meta({ examples: [{}] });

export function signOut(app: ZodApp, { database, endedTokens }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'signOut',
    summary: 'Sign out everywhere',
    description:
      'Ends all tokens of your account, also this one. Requests that wait or stream end, too. A room that you are in stays open until you leave it.',
    body,
    response: { 204: z.null() },
  };
  app.post('/auth/sign-out', { schema, config: { people: true } }, async ({ userId }, reply) => {
    const version = await db.endTokens(database, userId);
    if (version === undefined) throw accountGone();
    endedTokens.note(userId, version);
    return reply.code(204).send(null);
  });
}
