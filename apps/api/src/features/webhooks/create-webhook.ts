import { IssuedWebhook, NewWebhook, Since } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { newWebhookSecret } from '../../webhooks/webhook-secrets.ts';
import { projectParams } from '../projects/project-schema.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { checkedUrl, WEBHOOKS_PER_PROJECT, webhookOf } from './webhook-schema.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';

export function createWebhook(
  app: ZodApp,
  { authorize, config, database, inProjectTurn, vault }: Deps,
): void {
  const content = { 'application/json': { schema: IssuedWebhook } };
  const response = { 201: { description: 'The webhook, with its secret', content } };
  const schema = {
    tags: ['webhooks'],
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: `For an ADMIN. Each message of the project is sent to the URL when it is stored, in order within a session and at least once; what the URL does not take is sent again for three days. Requests are signed as Standard Webhooks says (https://www.standardwebhooks.com), with the secret that only this answer shows. A project has at most ${WEBHOOKS_PER_PROJECT} webhooks.`,
    problems: ['forbidden', 'not_found', 'invalid_webhook_url', 'webhook_capacity'] as const,
    params: projectParams,
    body: NewWebhook,
    response,
  };
  app.post('/projects/:id/webhooks', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { from, ...settings } = body;
    const caller = { projectId: params.id, userId };
    await authorize(userId, 'manageWebhooks', await db.findMembership(database, caller));
    const url = checkedUrl(body.url, config.webhooks.networks);
    const key = { id: uuidv7(), projectId: params.id };
    const secret = newWebhookSecret();
    const startsAt = from === 'now' ? null : from === 'beginning' ? EPOCH : Since.parse(from);
    const webhook = { ...key, ...settings, url, ...vault.seal({ current: secret }, key) };
    const stored = { ...webhook, createdBy: userId, startsAt };
    const isStored = await whileAuthorized(
      inProjectTurn,
      { ...caller, actions: ['manageWebhooks'] },
      (transaction) => db.insertWebhook(transaction, stored, WEBHOOKS_PER_PROJECT),
    );
    if (!isStored) {
      throw new AppError('webhook_capacity', `the project has ${WEBHOOKS_PER_PROJECT} webhooks`);
    }
    const found = await db.findWebhook(database, { id: key.id, userId });
    const created = await authorize(userId, 'manageWebhooks', found);
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...webhookOf(created.webhook), secret });
  });
}
