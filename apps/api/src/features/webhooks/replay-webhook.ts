import { Since, WebhookReplay, WebhookReplayed } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { openTurns, TURNS_BY_WEBHOOK, TURNS_OF_REPLAYS } from '../../http/turns.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { inAuthorizedTransaction } from '../projects/while-authorized.ts';
import { webhookParams } from './webhook-schema.ts';

export function replayWebhook(app: ZodApp, { authorize, database, timeLimits }: Deps): void {
  const inReplay = openTurns(TURNS_BY_WEBHOOK, timeLimits.statementMs);
  const inStep = openTurns(TURNS_OF_REPLAYS, timeLimits.statementMs);
  const unlimited = db.withoutLimit(database);
  const content = { 'application/json': { schema: WebhookReplayed } };
  const schema = {
    tags: ['webhooks'],
    operationId: 'replayWebhook',
    summary: 'Send again what was stored since a time',
    description:
      'For an ADMIN. Each message comes with the `webhook-id` that it had. Sessions that were given up are tried again.',
    problems: ['forbidden', 'not_found'] as const,
    params: webhookParams,
    body: WebhookReplay,
    response: { 202: { description: 'Sending has begun', content } },
  };
  app.post('/webhooks/:id/replay', { schema }, async ({ userId, params, body }, reply) => {
    const found = await db.findWebhook(database, { id: params.id, userId });
    const { webhook } = await authorize(userId, 'manageWebhooks', found);
    const { sessionId = null } = body;
    const range = { sessionId, since: Since.parse(body.since) };
    const { projectId } = webhook;
    const caller = { projectId, userId, actions: ['manageWebhooks'] } as const;
    const inProject: db.ReplayRun['inProject'] = (work) =>
      inAuthorizedTransaction(unlimited, caller, work);
    let until = performance.now() + timeLimits.statementMs;
    const inTurn: db.ReplayRun['inTurn'] = (step) => {
      const turn = inStep(projectId, step, webhook.id, until);
      // A replay that has begun runs to its end, even if nobody waits for it any more.
      until = Infinity;
      return turn;
    };
    const sessions = await inReplay(webhook.id, () =>
      db.replayWebhook(unlimited, { ...webhook, by: userId }, range, { inProject, inTurn }),
    );
    return reply.code(202).send({ sessions });
  });
}
